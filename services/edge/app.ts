import { Router } from "@koa/router";
import Koa from "koa";
import type { Registry } from "prom-client";
import type { Network } from "#shared/address-guard/network.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { CursorCodec } from "./certificates/cursor.ts";
import { listCertificates } from "./certificates/list-certificates.ts";
import type { EdgeMiddleware, EdgeState } from "./http/edge-context.ts";
import type { KeyGuard } from "./limits/key-guard.ts";
import { accessLog } from "./middleware/access-log.ts";
import { admission } from "./middleware/admission.ts";
import { noteClientAddress } from "./middleware/client-address.ts";
import { connectionClose } from "./middleware/connection-close.ts";
import { errors } from "./middleware/errors.ts";
import { matchedRoute } from "./middleware/matched-route.ts";
import { methodNotAllowed } from "./middleware/method-not-allowed.ts";
import { notFound } from "./middleware/not-found.ts";
import { requestId } from "./middleware/request-id.ts";
import { requestMetrics } from "./middleware/request-metrics.ts";
import { requestTarget } from "./middleware/request-target.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { validateRequest } from "./middleware/validate-request.ts";
import { descriptionFiles } from "./openapi/description-files.ts";
import { publicFile } from "./openapi/public-file.ts";
import type { RegistryClient } from "./registry-client/registry-client.ts";

/** What the app is made of. */
export interface AppDeps {
  readonly registry: RegistryClient;
  readonly cursors: CursorCodec;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly keyGuard: KeyGuard;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly Network[];
  /** Whether the service was told to stop. */
  readonly isStopping: () => boolean;
}

const certificatesPath = "/v1/certificates";

/** The public API as a Koa app that does not listen; `app.callback()` handles requests. */
export function buildApp(deps: AppDeps): Koa<EdgeState> {
  const app = new Koa<EdgeState>();
  // Replies that could not be written; Koa's own listener writes to standard error.
  app.on("error", (err: unknown) => deps.logger.debug({ err }, "reply not delivered"));
  app.use(errors());
  app.use(requestId());
  app.use(requestTarget());
  app.use(noteClientAddress(deps.trustedProxies));
  app.use(securityHeaders());
  app.use(accessLog(deps.logger));
  app.use(requestMetrics(deps.metrics));
  app.use(connectionClose(deps.isStopping));
  app.use(validateRequest());
  app.use(routes(deps).routes());
  app.use(notFound());
  return app;
}

/** What is at which path. */
export function routes(
  deps: Pick<AppDeps, "registry" | "cursors" | "keyGuard" | "metrics">,
): Router<EdgeState> {
  // The one spelling of a path: no trailing slash, no other case.
  const router: Router<EdgeState> = new Router<EdgeState>({ strict: true, sensitive: true });
  const atPath = (path: string, ...answer: EdgeMiddleware[]) => {
    const found = matchedRoute(path);
    // The router answers HEAD where it answers GET.
    router.get(path, found, ...answer);
    router.all(path, found, methodNotAllowed("GET, HEAD"));
  };
  atPath(certificatesPath, admission(deps), listCertificates(deps));
  for (const [path, file] of descriptionFiles()) atPath(path, publicFile(file));
  return router;
}
