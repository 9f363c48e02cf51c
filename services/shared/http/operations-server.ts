import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { collectDefaultMetrics, Registry } from "prom-client";

/** What the operations port answers from. */
export interface OperationsDeps {
  /** Why the service is not ready, or undefined when it is. */
  readonly notReadyReason: () => string | undefined;
  readonly metrics: Registry;
}

/** A service's operations port: `/livez`, `/readyz` (503 with the reason) and `/metrics` (Prometheus text). */
export function createOperationsServer(deps: OperationsDeps): Server {
  return createServer((request, response) => {
    const reply = (status: number, body: string, type = "text/plain; charset=utf-8") => {
      response.writeHead(status, { "content-type": type }).end(body);
    };
    if (request.url === "/livez") return reply(200, "ok\n");
    if (request.url === "/readyz") {
      const reason = deps.notReadyReason();
      return reason === undefined ? reply(200, "ok\n") : reply(503, `${reason}\n`);
    }
    if (request.url !== "/metrics") return reply(404, "not found\n");
    deps.metrics.metrics().then(
      (text) => reply(200, text, deps.metrics.contentType),
      () => reply(500, "metrics are not available\n"),
    );
  });
}

/** A registry of metrics with the process's own (CPU, memory, event loop) already in it. */
export function createMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return metrics;
}

/**
 * Starts an HTTP server.
 *
 * @param port 0 takes a free one
 * @returns the port that was bound
 * @throws Error naming the address when it cannot be bound
 */
export function listenHttp(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new Error(`cannot listen on ${host}:${port}: is the port in use?`, { cause }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Stops accepting connections, lets requests under way finish, and cuts what is left after so many milliseconds. */
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
