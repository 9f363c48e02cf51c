import { once } from "node:events";
import { type AddressInfo, connect as dial, type Socket } from "node:net";
import { createServer, type TlsOptions } from "node:tls";

/**
 * Starts a TLS server on 127.0.0.1 that forwards its connections to `target`, a server without TLS.
 *
 * @returns its port, and a function that closes the server and its connections
 */
export async function startTlsProxy(target: { readonly host: string; readonly port: number }, options: TlsOptions) {
  const sockets = new Set<Socket>();
  const server = createServer(options, (client) => {
    const upstream = dial({ ...target, noDelay: true });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
