import { type Server, ServerCredentials } from "@grpc/grpc-js";
import { listenError } from "#shared/errors/listen-error.ts";

/**
 * Binds a gRPC server.
 *
 * @param address `host:port`, with an IPv6 address in brackets; port 0 selects any free port
 * @param credentials default: no TLS
 * @returns the bound port
 * @throws Error naming the address and the reason if it cannot be bound
 */
export function listenGrpc(
  server: Server,
  address: string,
  credentials = ServerCredentials.createInsecure(),
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error === null) resolve(port);
      else reject(listenError(address, error));
    });
  });
}

const closeEveryMs = 250;

/**
 * Stops accepting calls, waits for the calls in progress, and terminates those that outlast the grace period.
 *
 * Repeats the shutdown, because grpc-js closes only the connections that are open when a shutdown begins. A client
 * whose TLS handshake ends later would keep its connection, and calls on it would go to a server that is stopping.
 */
export function closeGrpc(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const repeated = setInterval(() => server.tryShutdown(() => undefined), closeEveryMs);
    const finish = () => {
      clearInterval(repeated);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      server.forceShutdown();
      finish();
    }, graceMs);
    server.tryShutdown(finish);
  });
}
