import { randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import type { Keys } from "#shared/keys/key-files.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { EdgeContext } from "../../http/edge-context.ts";
import { TokenCipher } from "../../sealing/token-cipher.ts";
import { settingsPath } from "../model/settings-page.ts";
import { keysFor } from "./form-protection.ts";
import { keptFormCookieOf, setKeptFormCookie } from "./session-cookie.ts";

/** Parameter of a page's URL that names the kept form which the page shows. */
export const keptFormParameter = "form";

/** How long entries are kept, in seconds: long enough to sign in again. */
const entriesLifeSeconds = 1_800;
/** How long a new secret is kept: until the browser has followed the redirect. */
const secretLifeSeconds = 60;

// Anyone can send entries to be kept. A browser keeps cookies of 4,096 characters, and common reverse proxies refuse
// response headers of more than 4 KiB in total.
const entriesCharactersMax = 16_384;
const sealedCharactersMax = 3_000;

const keptSchema = z.object({
  id: z.string(),
  /** Path of the page below `/settings`. */
  path: z.string(),
  /** Domain of the store that the form belongs to. */
  shop: z.string(),
  expiresAtMs: z.number(),
  content: z.union([
    z.object({
      entries: z.string(),
      mistakes: z.array(z.object({ field: z.string(), text: z.string() })),
      question: z.string().optional(),
    }),
    z.object({ secret: z.string() }),
  ]),
});

/** What a page shows after the redirect that follows a form. */
export type KeptContent = z.output<typeof keptSchema>["content"];

/**
 * Carries what a form leads to over the redirect that follows every form: the entries of a form that was refused or
 * whose session had ended, or a new secret. Thus no page is the response to a form, and going back or reloading never
 * asks to send a form again. The latest content of a browser is in an encrypted cookie, so that every replica can show
 * it, and entries outlast a session.
 */
export class KeptForms {
  readonly #cipher: TokenCipher;
  readonly #wallClock: Clock;

  constructor({ keys, wallClock }: { readonly keys: Keys; readonly wallClock: Clock }) {
    this.#cipher = new TokenCipher(keysFor("kept form", keys));
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
    const lifeSeconds = "secret" in content ? secretLifeSeconds : entriesLifeSeconds;
    const path = ctx.state.target.path.slice(settingsPath.length);
    const expiresAtMs = this.#wallClock.now() + lifeSeconds * 1_000;
    const kept: z.output<typeof keptSchema> = { id, path, shop, expiresAtMs, content };
    const sealed = this.#cipher.seal(deflateRawSync(JSON.stringify(kept))).toString("base64url");
    if (sealed.length > sealedCharactersMax) return false;
    setKeptFormCookie(ctx, sealed, lifeSeconds);
    redirect(ctx, path, id, ctx.state.target.rawQuery);
    return true;
  }

  /** Returns what the page with this URL shows, if it was kept for the store; and removes a secret from the browser. */
  shown(ctx: EdgeContext, shop: string): KeptContent | undefined {
    const kept = this.#ofPage(ctx);
    if (kept?.shop !== shop) return undefined;
    if ("secret" in kept.content) this.forget(ctx);
    return kept.content;
  }

  /** Returns whether entries of the page with this URL are kept. */
  hasEntries(ctx: EdgeContext): boolean {
    const kept = this.#ofPage(ctx);
    return kept !== undefined && "entries" in kept.content;
  }

  /**
   * Redirects a merchant who has signed in to the page with the kept entries.
   *
   * @param signedInTo returns the domain of the session's store
   * @returns false if no entries are kept for that store
   */
  async resume(ctx: EdgeContext, signedInTo: () => Promise<string>): Promise<boolean> {
    const kept = this.#read(ctx);
    if (kept === undefined || !("entries" in kept.content) || kept.shop !== (await signedInTo())) return false;
    redirect(ctx, kept.path, kept.id);
    return true;
  }

  /** Removes what the browser keeps. */
  forget(ctx: EdgeContext): void {
    if (keptFormCookieOf(ctx) !== "") setKeptFormCookie(ctx, "", 0);
  }

  #ofPage(ctx: EdgeContext) {
    const { path, rawQuery } = ctx.state.target;
    const id = new URLSearchParams(rawQuery).get(keptFormParameter);
    const kept = id === null ? undefined : this.#read(ctx);
    return kept?.id === id && settingsPath + kept?.path === path ? kept : undefined;
  }

  #read(ctx: EdgeContext) {
    const content = this.#cipher.open(Buffer.from(keptFormCookieOf(ctx), "base64url"));
    if (content === undefined) return undefined;
    // Authenticated, so only an edge has compressed it, perhaps one of an earlier version.
    const { data: kept } = keptSchema.safeParse(JSON.parse(inflateRawSync(content).toString()));
    return kept !== undefined && kept.expiresAtMs > this.#wallClock.now() ? kept : undefined;
  }
}

function redirect(ctx: EdgeContext, path: string, id: string, query = ""): void {
  const kept = [...new URLSearchParams(query)].filter(([name]) => name !== keptFormParameter && name !== "done");
  ctx.status = 303;
  ctx.set("Location", `${settingsPath}${path}?${new URLSearchParams([...kept, [keptFormParameter, id]])}`);
}
