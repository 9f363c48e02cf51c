import type { Registry } from "prom-client";
import type { Keys } from "#shared/keys/key-files.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import type { Route } from "../http/route.ts";
import { chosenLanguage } from "../pages/choose-language.ts";
import type { PageAssets } from "../pages/page-assets.ts";
import { pageHeaders } from "../pages/page-headers.ts";
import { sendAsset } from "../pages/send-asset.ts";
import { unknownPage, withoutSlash } from "../pages/unmatched-pages.ts";
import type { SettingsClient } from "../registry-client/settings-client.ts";
import { TextSigner } from "../sealing/text-signer.ts";
import { ChangeQuota } from "./engine/change-quota.ts";
import { KeptForms } from "./engine/kept-forms.ts";
import { PageQuota } from "./engine/page-quota.ts";
import { RepeatedForms } from "./engine/repeated-forms.ts";
import { pageRoute } from "./engine/serve-page.ts";
import { setLanguageCookie } from "./engine/session-cookie.ts";
import { settingsErrors } from "./engine/settings-errors.ts";
import { Visits } from "./engine/visits.ts";
import { settingsPath } from "./model/settings-page.ts";
import { pages } from "./pages.ts";
import { signInRoutes } from "./sign-in/sign-in-routes.ts";

export interface SettingsRouteDeps {
  readonly settings: SettingsClient;
  readonly assets: PageAssets;
  /** Master keys; the keys that sign form tokens are derived from them. */
  readonly formKeys: Keys;
  /** Origins that may embed the settings in a frame. */
  readonly settingsFrameAncestors: readonly string[];
  /** Page of the storefront platform's admin that opens the settings. Default: none. */
  readonly settingsSignInUrl?: string | undefined;
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly metrics: Registry;
}

/** Builds the routes of the merchants' settings, under `/settings`. */
export function settingsRoutes(deps: SettingsRouteDeps): Route[] {
  const { settings: registry, assets: pageAssets, formKeys, settingsFrameAncestors, clock, wallClock } = deps;
  const signInUrl = deps.settingsSignInUrl;
  const assets = pageAssets.settings;
  const protection = new TextSigner("settings form", formKeys);
  const pageQuota = new PageQuota(clock);
  const visits = new Visits({ registry, protection, pageQuota, clock, wallClock });
  const headers = settingsHeaders(settingsFrameAncestors);
  const startPage: EdgeMiddleware = (ctx, next) => {
    ctx.set(headers);
    const language = chosenLanguage(ctx);
    if (language !== undefined) setLanguageCookie(ctx, language);
    return next();
  };
  const kept = new KeptForms({ keys: formKeys, wallClock });
  const errors = settingsErrors({ assets, kept, protection, signInUrl });
  const around = [errors, startPage];
  const repeated = new RepeatedForms();
  const quota = new ChangeQuota(deps);
  const signedIn = pages.map((page) =>
    pageRoute(page, { assets: pageAssets, visits, protection, repeated, kept, quota, pageQuota }),
  );
  const signIn = signInRoutes({ assets, registry, visits, protection, kept, quota, signInUrl, wallClock });
  return [
    { path: `${settingsPath}/assets/:name`, get: [sendAsset(pageAssets, `${settingsPath}/assets/`)], around: [errors] },
    ...[...signIn, ...signedIn].map((route) => ({ ...route, around })),
    { path: `${settingsPath}/`, get: [withoutSlash], around },
    { path: `${settingsPath}/*unknown`, get: [unknownPage], post: [unknownPage], around },
  ];
}

/**
 * Returns the headers of every page of the settings. No cache may store the pages: they show personal data and secrets.
 *
 * @param frameAncestors origins that may embed the settings, such as `https://admin.example`; none if empty
 */
function settingsHeaders(frameAncestors: readonly string[]): Readonly<Record<string, string>> {
  const ancestors = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(" ");
  const policy = pageHeaders["Content-Security-Policy"].replace(
    "frame-ancestors 'none'",
    `frame-ancestors ${ancestors}`,
  );
  return { ...pageHeaders, "Content-Security-Policy": policy, "Cache-Control": "no-store" };
}
