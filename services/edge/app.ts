import { Router } from "@koa/router";
import Koa from "koa";
import type { Registry } from "prom-client";
import type { Network } from "#shared/address-guard/network.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { CursorCodec } from "./certificates/cursor.ts";
import { getCertificate } from "./certificates/get-certificate.ts";
import { listCertificates, listPath } from "./certificates/list-certificates.ts";
import { listRequests } from "./certificates/list-request.ts";
import { collectBodies } from "./connector/collect-body.ts";
import { type ConnectorRouteDeps, connectorRoutes } from "./connector/connector-routes.ts";
import { docsRoutes } from "./docs/docs-routes.ts";
import { connectionClose } from "./http/connection-close.ts";
import type { EdgeMiddleware, EdgeState } from "./http/edge-context.ts";
import { errors } from "./http/errors.ts";
import { childPaths, exactPath } from "./http/exact-path.ts";
import { observeRequests } from "./http/observe-requests.ts";
import { requestState } from "./http/request-state.ts";
import type { Route } from "./http/route.ts";
import { sendParts } from "./http/send-parts.ts";
import { methodNotAllowed, notFound } from "./http/unmatched-requests.ts";
import { validateRequest } from "./http/validate-request.ts";
import { createAdmission } from "./limits/admission.ts";
import type { KeyGuard } from "./limits/key-guard.ts";
import { createLoadLimit } from "./limits/limit-load.ts";
import type { LoadGate } from "./limits/load-gate.ts";
import { createKeyLookup } from "./limits/look-up-key.ts";
import type { PlanRefusals } from "./limits/plan-refusals.ts";
import { type ListenRouteDeps, listenRoute } from "./listen/listen-routes.ts";
import { documentRoute } from "./openapi/document.ts";
import { collectForms } from "./pages/collect-forms.ts";
import { collectUploads } from "./pages/collect-uploads.ts";
import { loadPageAssets } from "./pages/page-assets.ts";
import { startPageRoute } from "./pages/start-page.ts";
import { unknownPath } from "./pages/unmatched-pages.ts";
import type { ListClient } from "./registry-client/list-client.ts";
import { settingsPath } from "./settings/model/settings-page.ts";
import { type SettingsRouteDeps, settingsRoutes } from "./settings/settings-routes.ts";
import { type VerificationRouteDeps, verificationRoutes } from "./verification/verification-routes.ts";

interface RouteDeps
  extends Omit<VerificationRouteDeps, "assets">,
    Omit<SettingsRouteDeps, "assets">,
    ConnectorRouteDeps,
    ListenRouteDeps {}

interface AppDeps extends Omit<RouteDeps, "lookUp"> {
  readonly registry: ListClient;
  readonly cursors: CursorCodec;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly keyGuard: KeyGuard;
  readonly planRefusals: PlanRefusals;
  readonly loadGate: LoadGate;
  /** Networks of the proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly Network[];
  /** Time limit of a request for the list or one certificate, in milliseconds; one that takes longer fails with 503. */
  readonly requestTimeoutMs: number;
}

/** What serves the other paths than the list and those below it. */
interface OtherPaths {
  readonly router: Router<EdgeState>;
  /** Around the handler of unknown paths. Default: none. */
  readonly aroundUnknown?: EdgeMiddleware;
}

/**
 * Builds the Koa app of the public API and the pages. It does not listen: pass `app.callback()` to an HTTP server.
 *
 * @param othersFor builds what serves the other paths. Default: all pages and all of the API
 */
export function buildApp(
  deps: AppDeps,
  othersFor: (deps: RouteDeps) => OtherPaths = (all) => {
    return { router: routes(all), aroundUnknown: unknownPath(fixed().assets) };
  },
): Koa<EdgeState> {
  const app = new Koa<EdgeState>();
  // Logs failures to write a response; Koa's default listener would print them to standard error.
  app.on("error", (err: unknown) => deps.logger.debug({ err }, "failed to write response"));
  app.use(sendParts());
  app.use(connectionClose(deps.isStopping));
  app.use(errors());
  app.use(requestState(deps.trustedProxies, deps.requestTimeoutMs));
  // Before any middleware that waits: the server discards the parts of a body that arrive before.
  app.use(collectForms());
  app.use(collectUploads(`${settingsPath}/`));
  app.use(collectBodies());
  app.use(observeRequests(deps.logger, deps.metrics));
  app.use(validateRequest());
  const lookUp = createKeyLookup(deps);
  const admit = createAdmission({ ...deps, lookUp, limitLoad: createLoadLimit(deps) });
  const send = listRequests(admit, deps.registry);
  app.use(exactPath(listPath, listCertificates(send, deps.cursors)));
  app.use(childPaths(listPath, "id", getCertificate(send)));
  const { router, aroundUnknown } = othersFor({ ...deps, lookUp });
  app.use(router.routes());
  if (aroundUnknown !== undefined) app.use(aroundUnknown);
  app.use(notFound());
  return app;
}

/**
 * Builds the router for all paths except the certificate list and the paths below it; exported so that a test can
 * compare the paths of the API with the OpenAPI document.
 */
export function routes(deps: RouteDeps): Router<EdgeState> {
  return routerOf([...pageRoutes(deps), ...apiRoutes(deps)]);
}

/** Builds a router that matches paths exactly: no trailing slash, case-sensitive. */
export function routerOf(all: readonly Route[]): Router<EdgeState> {
  const router: Router<EdgeState> = new Router<EdgeState>({ strict: true, sensitive: true });
  for (const { path, get, post, around = [] } of all) {
    const setRoute: EdgeMiddleware = (ctx, next) => {
      ctx.state.route = path;
      return next();
    };
    // `get` also registers HEAD.
    if (get !== undefined) router.get(path, setRoute, ...around, ...get);
    if (post !== undefined) router.post(path, setRoute, ...around, ...post);
    const methods = [...(get === undefined ? [] : ["GET", "HEAD"]), ...(post === undefined ? [] : ["POST"])];
    router.all(path, setRoute, ...around, methodNotAllowed(methods));
  }
  return router;
}

/** Returns the routes that programs of others call, except the certificate list and the paths below it. */
export function apiRoutes(deps: ConnectorRouteDeps & ListenRouteDeps): Route[] {
  return [...connectorRoutes(deps), listenRoute(deps)];
}

/** Returns the routes that people open. */
function pageRoutes(deps: RouteDeps): Route[] {
  const { assets, routes } = fixed();
  return [...routes, ...verificationRoutes({ ...deps, assets }), ...settingsRoutes({ ...deps, assets })];
}

/**
 * Built once a process: it takes a fifth of a second, and a test's process starts many edges. Not when the module is
 * loaded, so that a missing file is a failed start like others, and signals end a process that is starting.
 */
let fixedPages: ReturnType<typeof buildFixedPages> | undefined;
const fixed = () => (fixedPages ??= buildFixedPages());

/** Renders and compresses the pages and files that are the same for all clients. */
function buildFixedPages() {
  const assets = loadPageAssets();
  return { assets, routes: [documentRoute(), startPageRoute(assets), ...docsRoutes(assets)] };
}
