import { hasCode } from "#shared/errors/service-error.ts";
import { textsFor } from "#shared/texts/texts.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { EdgeContext, EdgeMiddleware } from "../../http/edge-context.ts";
import type { Route } from "../../http/route.ts";
import { seeOther } from "../../http/see-other.ts";
import { type Html, html } from "../../pages/html.ts";
import { noticePage } from "../../pages/notice-page.ts";
import type { PageFiles } from "../../pages/page-assets.ts";
import { htmlType } from "../../pages/page-headers.ts";
import { sameOriginForm } from "../../pages/same-origin.ts";
import type { SettingsClient, SignInProof } from "../../registry-client/settings-client.ts";
import type { TextSigner } from "../../sealing/text-signer.ts";
import { link } from "../components/content.ts";
import type { ChangeQuota } from "../engine/change-quota.ts";
import type { KeptForms } from "../engine/kept-forms.ts";
import { protectedForm } from "../engine/serve-page.ts";
import { clearSessionCookie, isEmbedded, sessionTokenOf, setSessionCookie } from "../engine/session-cookie.ts";
import { settingsLanguage, type Visits } from "../engine/visits.ts";
import { settingsPath } from "../model/settings-page.ts";
import { adminLink } from "../shell/shell.ts";
import { claimedShop } from "./claimed-shop.ts";

interface SignInDeps {
  readonly assets: PageFiles;
  readonly registry: SettingsClient;
  readonly visits: Visits;
  readonly protection: TextSigner;
  readonly kept: KeptForms;
  readonly quota: ChangeQuota;
  /** Where merchants can open the settings; undefined if unknown. */
  readonly signInUrl: string | undefined;
  readonly wallClock: Clock;
}

// The form of a platform's token (RFC 7515 §3.1), and more than the length of any.
const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const tokenCharactersMax = 4_000;

const linkPath = `${settingsPath}/sign-in/`;
const signedOutPath = `${settingsPath}/sign-out`;

/**
 * Builds the routes for signing in and out. Opening a link only shows a form: link previews and prefetching browsers
 * must not use up the link.
 *
 * - `/settings/sign-in/<secret>`: a sign-in link
 * - `/settings/sign-in?token=<JWT>`: the URL that the storefront platform opens; in the platform's frame, a script
 *   sends the form
 * - `/settings/sign-out`: signs out, then shows that the merchant is signed out; redirects to the settings while there
 *   is a session
 */
export function signInRoutes(deps: SignInDeps): Route[] {
  const { assets, registry, visits, protection, kept, quota, signInUrl, wallClock } = deps;
  const send = (ctx: EdgeContext, title: string, content: Html) => {
    ctx.type = htmlType;
    // The links to other languages keep nothing else: what an outsider adds would cost time in each link.
    const token = platformTokenOf(ctx);
    const query = new URLSearchParams(token.length <= tokenCharactersMax && jwt.test(token) ? { token } : {});
    const page = { assets, language: settingsLanguage(ctx), root: `${settingsPath}/`, title, content, query };
    ctx.body = String(noticePage(page));
  };

  const showForm: EdgeMiddleware = (ctx) => {
    const text = textsFor(settingsLanguage(ctx));
    const proof = proofOf(ctx);
    const isPlatform = proof.case === "platformToken";
    // Only the platform can embed the page. Outside its frame, the link may come from an attacker and contain a token
    // for the attacker's own store: if the script sent the form, the merchant would work there without noticing.
    const isSentAtOnce = isPlatform && isEmbedded(ctx);
    const shop = isPlatform && !isSentAtOnce ? claimedShop(proof.value) : undefined;
    const lead =
      shop === undefined
        ? html`<p>${text("settings.signIn.explanation")}</p>`
        : html`<p>${sessionTokenOf(ctx) === "" ? text("settings.signIn.enters") : text("settings.signIn.replaces")}</p>
<p><strong><bdi>${shop}</bdi></strong></p>`;
    const content = html`${lead}
<form method="post"${isSentAtOnce ? html` data-send` : ""}>
<div class="submit"><button class="primary" type="submit">${text("settings.signIn.submit")}</button></div></form>`;
    send(ctx, text("settings.signIn.title"), content);
  };

  const signIn: EdgeMiddleware = async (ctx) => {
    await sameOriginForm(ctx);
    try {
      const session = await visits.limited(ctx, () => openSession(proofOf(ctx)));
      setSessionCookie(ctx, session, wallClock.now());
      const { getSession } = registry.inSession(session.token).session;
      // The link is used up, so that a failure here must not end in an error page.
      const shop = () =>
        getSession({}).then(
          (opened) => opened.shop,
          () => undefined,
        );
      if (await kept.resume(ctx, shop)) return;
      seeOther(ctx, settingsPath);
    } catch (error) {
      if (!hasCode(error, "unauthorized")) throw error;
      const language = settingsLanguage(ctx);
      const text = textsFor(language);
      // A merchant who opens a used link again is often still signed in.
      const next =
        sessionTokenOf(ctx) === ""
          ? adminLink(signInUrl, language)
          : html`<p>${link("", text("pages.start.settings"), "button")}</p>`;
      ctx.status = 401;
      send(ctx, text("settings.signIn.refusedTitle"), html`<p>${text("settings.signIn.refused")}</p>\n${next}`);
    }
  };

  // Operators create the sign-in links, so only the platform's tokens need a quota.
  function openSession(proof: SignInProof) {
    const shop = proof.case === "platformToken" ? claimedShop(proof.value) : undefined;
    const open = () => registry.openSession(proof);
    return shop === undefined ? open() : quota.signIn(shop, open);
  }

  const signOut: EdgeMiddleware = async (ctx) => {
    await visits.open(ctx);
    await protectedForm(ctx, protection);
    await registry.closeSession(sessionTokenOf(ctx));
    clearSessionCookie(ctx);
    kept.forget(ctx);
    seeOther(ctx, signedOutPath);
  };

  const signedOut: EdgeMiddleware = (ctx) => {
    // The error page of a sign-out that failed has this URL, so that its links to other languages lead here.
    if (sessionTokenOf(ctx) !== "") {
      seeOther(ctx, settingsPath);
      return;
    }
    const language = settingsLanguage(ctx);
    const text = textsFor(language);
    const content = html`<p>${text("settings.signIn.signedOut")}</p>\n${adminLink(signInUrl, language)}`;
    send(ctx, text("settings.signIn.signedOutTitle"), content);
  };

  return [
    { path: `${settingsPath}/sign-in`, get: [showForm], post: [signIn] },
    { path: `${linkPath}:secret`, get: [showForm], post: [signIn] },
    { path: signedOutPath, get: [signedOut], post: [signOut] },
  ];
}

function proofOf(ctx: EdgeContext): SignInProof {
  const { path } = ctx.state.target;
  if (path.startsWith(linkPath)) return { case: "linkSecret", value: path.slice(linkPath.length) };
  return { case: "platformToken", value: platformTokenOf(ctx) };
}

function platformTokenOf(ctx: EdgeContext): string {
  return new URLSearchParams(ctx.state.target.rawQuery).get("token") ?? "";
}
