import type { EdgeContext } from "../../http/edge-context.ts";
import type { OpenedSession } from "../../registry-client/settings-client.ts";

// Browsers accept a cookie with the prefix `__Host-` only from the host itself, and only over TLS or from localhost.
const sessionCookie = "__Host-settings";
const languageCookie = "__Host-settings-language";
const keptFormCookie = "__Host-settings-form";

const languageLifeSeconds = 365 * 86_400;

/** Returns the token in the session cookie, or the empty string if there is no cookie. */
export function sessionTokenOf(ctx: EdgeContext): string {
  return ctx.cookies.get(sessionCookie) ?? "";
}

/** Returns the language that the merchant chose; undefined if the merchant chose none. */
export function languageCookieOf(ctx: EdgeContext): string | undefined {
  return ctx.cookies.get(languageCookie);
}

/** Stores a session in the browser until it expires. */
export function setSessionCookie(ctx: EdgeContext, { token, expiresAt }: OpenedSession, nowMs: number): void {
  const lifeSeconds = Math.max(0, Math.floor((expiresAt.getTime() - nowMs) / 1_000));
  ctx.append("Set-Cookie", cookie(ctx, sessionCookie, token, lifeSeconds));
}

/**
 * Removes the session from the browser. Only a sign-out does so: a refused request may be answered after a sign-in,
 * whose cookie its response would remove. The cookie of a session that has expired has expired as well, and that of a
 * revoked one costs little; see Visits.
 */
export function clearSessionCookie(ctx: EdgeContext): void {
  ctx.append("Set-Cookie", cookie(ctx, sessionCookie, "", 0));
}

/** Stores the chosen language in the browser. */
export function setLanguageCookie(ctx: EdgeContext, language: string): void {
  ctx.append("Set-Cookie", cookie(ctx, languageCookie, language, languageLifeSeconds));
}

/** Returns the sealed form in the browser, or the empty string if there is none; see KeptForms. */
export function keptFormCookieOf(ctx: EdgeContext): string {
  return ctx.cookies.get(keptFormCookie) ?? "";
}

/** Keeps a sealed form in the browser. @param lifeSeconds 0 removes it */
export function setKeptFormCookie(ctx: EdgeContext, sealed: string, lifeSeconds: number): void {
  ctx.append("Set-Cookie", cookie(ctx, keptFormCookie, sealed, lifeSeconds));
}

/** Returns whether the page is requested for an iframe; false if the browser does not send `Sec-Fetch-Dest`. */
export function isEmbedded(ctx: EdgeContext): boolean {
  return ctx.req.headers["sec-fetch-dest"] === "iframe";
}

/**
 * Builds a `Set-Cookie` header. In a page that another site embeds, browsers send a cookie only with `SameSite=None`;
 * `Partitioned` (CHIPS) binds the cookie to that site.
 */
function cookie(ctx: EdgeContext, name: string, value: string, lifeSeconds: number): string {
  const site = isEmbedded(ctx) ? "SameSite=None; Partitioned" : "SameSite=Lax";
  return `${name}=${value}; Path=/; Max-Age=${lifeSeconds}; Secure; HttpOnly; ${site}`;
}
