import { randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import type { Keys } from "#shared/keys/key-files.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { EdgeContext } from "../../http/edge-context.ts";
import { seeOther } from "../../http/see-other.ts";
import { keysFor } from "../../sealing/text-signer.ts";
import { TokenCipher } from "../../sealing/token-cipher.ts";
import { settingsPath } from "../model/settings-page.ts";
import { keptFormCookieOf, setKeptFormCookie } from "./session-cookie.ts";

/** Parameter of a page's URL that names the kept form which the page shows. */
const keptFormParameter = "form";

/** How long entries are kept, in seconds: long enough to sign in again. */
const entriesLifeSeconds = 1_800;
/** How long a new secret is kept: long enough to reload its page if that fails. The page that shows it removes it. */
const secretLifeSeconds = 600;

/** Maximum length of the entries that are kept, as a query string: anyone can send entries. */
export const entriesCharactersMax = 16_384;
// A browser keeps cookies of 4,096 characters, and common reverse proxies refuse response headers of more than 4 KiB in
// total.
const sealedCharactersMax = 3_000;
const queryCharactersMax = 500;

const keptSchema = z.object({
  id: z.string(),
  /** Path of the page below `/settings`. */
  path: z.string(),
  /** Query of the page, without what only names the result of a form. */
  query: z.string(),
  /** Domain of the store that the form belongs to. */
  shop: z.string(),
  expiresAtMs: z.number(),
  content: z.discriminatedUnion("reason", [
    z.object({
      reason: z.literal("refused"),
      entries: z.string(),
      mistakes: z.array(z.object({ field: z.string(), text: z.string() })),
    }),
    z.object({ reason: z.literal("unconfirmed"), entries: z.string(), question: z.string() }),
    /** The form has had no effect, because the session in which it was served had ended or been replaced. */
    z.object({ reason: z.literal("session_ended"), entries: z.string() }),
    z.object({ reason: z.literal("created"), secret: z.string() }),
  ]),
});

type Kept = z.output<typeof keptSchema>;

/** What a page shows after the redirect that follows a form, and why. */
export type KeptContent = Kept["content"];

/**
 * Carries what a form leads to over the redirect that follows a form: the entries of a form that was refused or whose
 * session had ended, or a new secret. Thus going back or reloading does not ask to send a form again. The response to a
 * form is a page only if its entries are too long to be kept (422), or if other entries would not mend it: a forged
 * form (400), an upload without a session (401), a removed certificate (404), too many changes (429), an outage (5xx).
 * The pages for 429 and 503 contain the form as it was sent, if it can be sent again.
 * The latest content of a browser is in an encrypted cookie, so that every replica can show it, and entries outlast a
 * session.
 */
export class KeptForms {
  readonly #cipher: TokenCipher;
  readonly #wallClock: Clock;

  constructor({ keys, wallClock }: { readonly keys: Keys; readonly wallClock: Clock }) {
    this.#cipher = new TokenCipher(keysFor("settings kept form", keys));
    this.#wallClock = wallClock;
  }

  /**
   * Keeps content, and redirects from the form to its own page, which shows the content.
   *
   * @returns false if the content is too long to be kept; nothing has happened then
   */
  redirect(ctx: EdgeContext, shop: string, content: KeptContent): boolean {
    if ("entries" in content && content.entries.length > entriesCharactersMax) return false;
    const id = randomBytes(6).toString("base64url");
    const lifeSeconds = content.reason === "created" ? secretLifeSeconds : entriesLifeSeconds;
    const expiresAtMs = this.#wallClock.now() + lifeSeconds * 1_000;
    const kept: Kept = { id, ...pageOf(ctx), shop, expiresAtMs, content };
    const sealed = this.#cipher.seal(deflateRawSync(JSON.stringify(kept))).toString("base64url");
    if (sealed.length > sealedCharactersMax) return false;
    setKeptFormCookie(ctx, sealed, lifeSeconds);
    redirect(ctx, kept);
    return true;
  }

  /** Returns what the page with this URL shows, if it was kept for the store. */
  contentOf(ctx: EdgeContext, shop: string): KeptContent | undefined {
    const kept = this.#read(ctx);
    return kept !== undefined && isNamedBy(ctx, kept) && kept.shop === shop ? kept.content : undefined;
  }

  /** Returns whether the page with this URL has entries with which a sign-in continues; see {@link resume}. */
  isResumable(ctx: EdgeContext): boolean {
    const kept = this.#read(ctx);
    return kept?.content.reason === "session_ended" && isNamedBy(ctx, kept);
  }

  /**
   * Redirects a merchant who has signed in to the page with the entries of a form whose session had ended.
   *
   * @param signedInTo returns the domain of the session's store; undefined if it is not known
   * @returns false if no entries are kept for that store
   */
  async resume(ctx: EdgeContext, signedInTo: () => Promise<string | undefined>): Promise<boolean> {
    const kept = this.#read(ctx);
    if (kept?.content.reason !== "session_ended" || kept.shop !== (await signedInTo())) return false;
    redirect(ctx, kept);
    return true;
  }

  /** Removes what is kept for the page with this URL, also if the URL does not name it. */
  forgetPage(ctx: EdgeContext): void {
    const kept = this.#read(ctx);
    if (kept === undefined) return;
    const { path, query } = pageOf(ctx);
    if (isNamedBy(ctx, kept) || (kept.path === path && kept.query === query)) this.forget(ctx);
  }

  /** Removes what the browser keeps. */
  forget(ctx: EdgeContext): void {
    if (keptFormCookieOf(ctx) !== "") setKeptFormCookie(ctx, "", 0);
  }

  #read(ctx: EdgeContext): Kept | undefined {
    const content = this.#cipher.open(Buffer.from(keptFormCookieOf(ctx), "base64url"));
    if (content === undefined) return undefined;
    // Authenticated, so only an edge has compressed it, perhaps one of an earlier version.
    const { data: kept } = keptSchema.safeParse(JSON.parse(inflateRawSync(content).toString()));
    return kept !== undefined && kept.expiresAtMs > this.#wallClock.now() ? kept : undefined;
  }
}

/**
 * Returns the path of the request's page below `/settings`, and its query without what names the result of a form. A
 * query that is longer than those of the settings, such as that of a stranger's link, is left out.
 */
function pageOf(ctx: EdgeContext): { readonly path: string; readonly query: string } {
  const { path, rawQuery } = ctx.state.target;
  const kept = [...new URLSearchParams(rawQuery)].filter(([name]) => name !== keptFormParameter && name !== "done");
  const query = String(new URLSearchParams(kept));
  return { path: path.slice(settingsPath.length), query: query.length > queryCharactersMax ? "" : query };
}

/** Returns whether the URL of the request is that to which the form redirected. */
function isNamedBy(ctx: EdgeContext, { id, path }: Kept): boolean {
  const named = new URLSearchParams(ctx.state.target.rawQuery).get(keptFormParameter);
  return named === id && pageOf(ctx).path === path;
}

function redirect(ctx: EdgeContext, { path, query, id }: Kept): void {
  seeOther(ctx, `${settingsPath}${path}?${query === "" ? "" : `${query}&`}${keptFormParameter}=${id}`);
}
