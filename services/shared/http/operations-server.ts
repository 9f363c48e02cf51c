import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { collectDefaultMetrics, Registry } from "prom-client";
import { listenError } from "../errors/listen-error.ts";
import { productVersion } from "../lifecycle/product-version.ts";
import { hostAndPort } from "./host-and-port.ts";

interface OperationsDeps {
  /** Returns why the service is not ready, or undefined when it is ready. */
  readonly notReadyReason: () => string | undefined;
  readonly metrics: Registry;
}

/**
 * Creates a server for `/livez` (with the version), `/readyz` (503 with the reason while the service is not ready) and
 * `/metrics` (Prometheus text) without starting it.
 */
export function createOperationsServer(deps: OperationsDeps): Server {
  return createServer((request, response) => {
    const respond = (status: number, body: string, type = "text/plain; charset=utf-8") => {
      response.writeHead(status, { "content-type": type }).end(body);
    };
    if (request.url === "/livez") return respond(200, `ok ${productVersion}\n`);
    if (request.url === "/readyz") {
      const reason = deps.notReadyReason();
      return reason === undefined ? respond(200, "ok\n") : respond(503, `${reason}\n`);
    }
    if (request.url !== "/metrics") return respond(404, "not found\n");
    deps.metrics.metrics().then(
      (text) => respond(200, text, deps.metrics.contentType),
      () => respond(500, "metrics are not available\n"),
    );
  });
}

/**
 * Interval in milliseconds at which the event loop's lag is sampled; Node never reports a smaller lag. With Node's
 * default of 10, the timer costs 0.4 % of a core in each service.
 */
export const lagSampleIntervalMs = 50;

/** Creates a metrics registry with the default process metrics (CPU, memory, event loop). */
export function createMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: lagSampleIntervalMs });
  return metrics;
}

/**
 * Starts listening.
 *
 * @param port 0 selects any free port
 * @returns the bound port
 * @throws Error naming the address that cannot be bound and the reason
 */
export function listenHttp(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(listenError(hostAndPort(host, port), cause));
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/**
 * Stops accepting connections, waits for requests in progress, and closes the remaining connections after `graceMs`.
 */
export function closeHttp(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
