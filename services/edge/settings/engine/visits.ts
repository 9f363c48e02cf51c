import { LRUCache } from "lru-cache";
import { hasCode, ServiceError } from "#shared/errors/service-error.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { EdgeContext } from "../../http/edge-context.ts";
import { guessPolicies } from "../../limits/guess-policies.ts";
import { refuseIf } from "../../limits/refuse-if.ts";
import { chosenLanguage, visitorLanguage } from "../../pages/choose-language.ts";
import { supportedLanguage } from "../../pages/languages.ts";
import type { SettingsClient } from "../../registry-client/settings-client.ts";
import type { TextSigner } from "../../sealing/text-signer.ts";
import type { Visit } from "../model/settings-page.ts";
import type { PageQuota } from "./page-quota.ts";
import { digestOf } from "./repeated-forms.ts";
import { languageCookieOf, sessionTokenOf } from "./session-cookie.ts";

interface VisitsDeps {
  readonly registry: SettingsClient;
  readonly protection: TextSigner;
  readonly pageQuota: PageQuota;
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly wallClock: Clock;
}

const knownSessionsMax = 10_000;
const refusedTokensMax = 10_000;
const refusedTtlMs = 60_000;

// Created once, so that refusing a request costs little.
const notSignedIn = new ServiceError("unauthorized", "You are not signed in. Sign in and try again.");

/** Identifies merchants by their sessions. */
export class Visits {
  readonly #deps: VisitsDeps;
  readonly #attempts: TokenBuckets;
  /**
   * The domains of the stores of tokens that were valid when they were last used; requests with them are exempt from
   * the per-network limits.
   */
  readonly #shops = new LRUCache<string, string>({ max: knownSessionsMax });
  /**
   * SHA-256 of tokens that the registry has refused. The browser keeps the cookie of a revoked session (see
   * clearSessionCookie), and sends it with each page that it opens: only the first is a guess. Tokens are random, so a
   * refused one never becomes valid later; the entry expires because a database restored from a backup may contain its
   * session again.
   */
  readonly #refused: LRUCache<string, true>;

  constructor(deps: VisitsDeps) {
    this.#deps = deps;
    // Each refused call uses up one token.
    this.#attempts = new TokenBuckets(deps.clock, guessPolicies);
    this.#refused = new LRUCache({ max: refusedTokensMax, ttl: refusedTtlMs, perf: deps.clock, ttlResolution: 0 });
  }

  /**
   * Returns the visit of a signed-in merchant. Opening a page counts towards its store's quota.
   *
   * @param onChange see {@link SettingsClient.inSession}
   * @throws ServiceError `unauthorized` without a valid session, `rate_limited` if the store's quota of pages is used
   * up; otherwise as {@link limited}
   */
  async open(ctx: EdgeContext, onChange?: () => void): Promise<Visit> {
    const { registry, protection, pageQuota, wallClock } = this.#deps;
    const token = sessionTokenOf(ctx);
    if (token === "") throw notSignedIn;
    // A form takes effect whether or not its sender waits: the second of two clicks gets the outcome of the first.
    const isOpened = ctx.method === "GET" || ctx.method === "HEAD";
    const calls = registry.inSession(token, { signal: isOpened ? ctx.state.clientSignal : undefined, onChange });
    const knownShop = this.#shops.get(token);
    ctx.state.shop = knownShop;
    // Before any call, so that a refusal costs little.
    const counted = isOpened ? knownShop : undefined;
    if (counted !== undefined) pageQuota.take(counted);
    // Without the signal: a client could leave before each refusal, and so try any number of tokens.
    const identify = () => registry.inSession(token).session.getSession({});
    const onFailure = (error: unknown) => {
      // A session that has ended must not use up the quota of its store, nor be logged with the store.
      if (hasCode(error, "unauthorized")) {
        ctx.state.shop = undefined;
        if (counted !== undefined) pageQuota.giveBack(counted);
      }
      throw error;
    };
    const { shop, storeName, actor, language } = await this.#identified(ctx, token, identify).catch(onFailure);
    ctx.state.shop = shop;
    if (isOpened && counted === undefined) pageQuota.take(shop);
    const chosen = settingsLanguage(ctx);
    return {
      language: chosen,
      text: textsFor(chosen),
      session: { shop, storeName, actor, storeLanguage: supportedLanguage(language) ?? "en" },
      registry: calls,
      clientSignal: ctx.state.clientSignal,
      params: ctx.params ?? {},
      query: new URLSearchParams(ctx.state.target.rawQuery),
      formToken: protection.sign(token),
      now: new Date(wallClock.now()),
    };
  }

  async #identified<T extends { readonly shop: string }>(
    ctx: EdgeContext,
    token: string,
    call: () => Promise<T>,
  ): Promise<T> {
    const isKnown = this.#shops.has(token);
    if (!isKnown && this.#refused.has(digestOf(token))) throw notSignedIn;
    try {
      const result = isKnown ? await call() : await this.limited(ctx, call);
      this.#shops.set(token, result.shop);
      return result;
    } catch (error) {
      if (hasCode(error, "unauthorized")) {
        this.#shops.delete(token);
        this.#refused.set(digestOf(token), true);
      }
      throw error;
    }
  }

  /**
   * Runs a call that authenticates the client, and limits how often such calls may be refused per network. An outage
   * costs nothing: otherwise a page that polls every second would use up the budget of a merchant's network.
   *
   * @throws ServiceError `rate_limited`, or the error of the call
   */
  async limited<T>(ctx: EdgeContext, call: () => Promise<T>): Promise<T> {
    const { networks } = ctx.state.client;
    refuseIf(this.#attempts.take(networks), "Too many attempts to sign in from your network. Try again later.");
    let refused = false;
    try {
      return await call();
    } catch (error) {
      refused = hasCode(error, "unauthorized");
      throw error;
    } finally {
      if (!refused) this.#attempts.giveBack(networks);
    }
  }
}

/** Returns the language of the settings: the URL's, else the merchant's choice, else the browser's, else English. */
export function settingsLanguage(ctx: EdgeContext): Language {
  return chosenLanguage(ctx) ?? supportedLanguage(languageCookieOf(ctx) ?? "") ?? visitorLanguage(ctx);
}
