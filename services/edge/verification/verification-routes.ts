import type { Registry } from "prom-client";
import type { Keys } from "#shared/keys/key-files.ts";
import type { BucketPolicy } from "#shared/limits/token-bucket.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { sendRendition } from "../http/rendition.ts";
import type { Route } from "../http/route.ts";
import { guessPolicies } from "../limits/guess-policies.ts";
import { chosenLanguage } from "../pages/choose-language.ts";
import { supportedLanguage } from "../pages/languages.ts";
import type { PageAssets } from "../pages/page-assets.ts";
import { pageErrors } from "../pages/page-errors.ts";
import { pageHeaders } from "../pages/page-headers.ts";
import { sendAsset } from "../pages/send-asset.ts";
import { byDepth, unknownPage, withoutSlash } from "../pages/unmatched-pages.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";
import { certificateView } from "./certificate-view.ts";
import { FormTokens } from "./form-token.ts";
import { createImageCache } from "./image-cache.ts";
import { limitPages, limitRendering } from "./limit-pages.ts";
import { LookUps, unknownLink } from "./look-ups.ts";
import { PageCache } from "./page-cache.ts";
import { linkTokenOf } from "./page-request.ts";
import { isPreview } from "./preview.ts";
import { recordOpening } from "./record-opening.ts";
import { reportProblem } from "./report-problem.ts";

export interface VerificationRouteDeps {
  readonly verification: VerificationClient;
  readonly assets: PageAssets;
  /** Master keys; the keys that sign form tokens are derived from them. */
  readonly formKeys: Keys;
  /** Maximum number of pages and images that are read from the registry at the same time. */
  readonly pageLookupsMax: number;
  /** Maximum number of requests per second under `/verify`, except for assets, from all clients together. */
  readonly pagesPerSecondMax: number;
  /** Monotonic clock. */
  readonly clock: Clock;
  /** Wall clock. */
  readonly wallClock: Clock;
  readonly metrics: Registry;
}

const reportPolicies: readonly BucketPolicy[] = [
  { capacity: 5, tokensPerSecond: 5 / 3_600 },
  { capacity: 10, tokensPerSecond: 10 / 3_600 },
  { capacity: 20, tokensPerSecond: 20 / 3_600 },
];
// The registry accepts logos of at most 16 KiB and products' images of at most 48 KiB, so that the caches hold at most
// about 16 and 24 MB.
const logosMax = 1_000;
const imagesMax = 500;

const assetsPath = "/verify/assets/";

/** Builds the routes of the verification page and its files, under `/verify`. */
export function verificationRoutes(deps: VerificationRouteDeps): Route[] {
  const { verification: registry, assets, pagesPerSecondMax, clock, metrics } = deps;
  const countShed = createLabelledCounter(metrics, {
    name: "edge_shed_pages_total",
    help: "Requests for verification pages and images refused with 503, by reason: too many look-ups in progress (lookups), too many requests per second (rate), or too many pages to render (rendering).",
    label: "why",
    values: ["lookups", "rate", "rendering"],
  });
  const lookUps = new LookUps({
    unknownLinks: new TokenBuckets(clock, guessPolicies),
    lookupsMax: deps.pageLookupsMax,
    onShed: () => countShed("lookups"),
  });
  const pages = new PageCache({
    registry,
    clock,
    lookUps,
    limitRendering: limitRendering(pagesPerSecondMax, clock, () => countShed("rendering")),
    render: (page, view) => String(certificateView(assets, page, view)),
  });
  const logos = createImageCache({ read: (id) => registry.getLogo(id), imagesMax: logosMax, clock, lookUps });
  const images = createImageCache({
    read: (id) => registry.getProductImage(id),
    imagesMax,
    clock,
    lookUps,
    // The id of a product's image is a hash: an image that was removed returns under its old id.
    idsReturn: true,
  });
  const opening = recordOpening({ pages, registry });
  const report = reportProblem({
    assets,
    pages,
    registry,
    metrics,
    clock: deps.wallClock,
    tokens: new FormTokens(deps.formKeys),
    reportLimits: new TokenBuckets(clock, reportPolicies),
  });
  const limit = limitPages(pagesPerSecondMax, clock, () => countShed("rate"));
  const startPage: EdgeMiddleware = (ctx, next) => {
    limit();
    ctx.set(pageHeaders);
    return next();
  };
  const page = (root: string) => [pageErrors(assets, root), startPage];
  const unknownErrors = byDepth("/verify/", (root) => pageErrors(assets, root));
  return [
    {
      path: `${assetsPath}:name`,
      get: [sendAsset(assets, assetsPath, unknownLink)],
      around: [pageErrors(assets, "../")],
    },
    { path: "/verify/logos/:image", get: [sendImage(logos, logoIds)], around: page("../") },
    { path: "/verify/images/:image", get: [sendImage(images, imageIds)], around: page("../") },
    { path: "/verify/:link", get: [showPage(pages)], around: page("") },
    { path: "/verify/:link/report", get: [report.show], post: [report.submit], around: page("../") },
    { path: "/verify/:link/opened", post: [opening.script], around: page("../") },
    { path: "/verify/:link/opened.gif", get: [opening.image], around: page("../") },
    { path: "/verify/:link/", get: [withoutSlash], around: page("../") },
    { path: "/verify", get: [unknownPage], post: [unknownPage], around: page("verify/") },
    { path: "/verify/{*unknown}", get: [unknownPage], post: [unknownPage], around: [unknownErrors, startPage] },
  ];
}

/** Shows the verification page of a link (GET and HEAD). Changes no data. */
function showPage(pages: Pick<PageCache, "rendition">): EdgeMiddleware {
  return async (ctx) => {
    const languageOf = (stored: string) => chosenLanguage(ctx) ?? supportedLanguage(stored) ?? "en";
    const rendition = await pages.rendition(linkTokenOf(ctx), ctx.state.client.networks, languageOf, isPreview(ctx));
    sendRendition(ctx, rendition);
  };
}

const logoIds = /^lgo_[0-9a-z]{24}$/;
const imageIds = /^pim_[0-9a-z]{26}$/;

/**
 * Sends an image as the edge encoded it on upload. Although its id changes with the image, caches keep it for only an
 * hour, so that a removed image disappears. The Content-Security-Policy prevents scripts and requests if a browser
 * opens the image as a document.
 */
function sendImage(images: ReturnType<typeof createImageCache>, ids: RegExp): EdgeMiddleware {
  return async (ctx) => {
    const id = ctx.params?.image ?? "";
    if (!ids.test(id)) throw unknownLink();
    const image = await images.find(id, ctx.state.client.networks);
    ctx.set({
      "Cache-Control": "public, max-age=3600",
      "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    sendRendition(ctx, image);
  };
}
