import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
import { createServer as createTlsServer, TLSSocket, type TlsOptions } from "node:tls";

/** A client's connection to a proxy, and the proxy's to the server. */
export interface ProxiedPair {
  readonly client: Socket;
  readonly server: Socket;
}

interface TcpProxyOptions {
  /** Forwards what arrives on the connections. Default: everything. */
  readonly forward?: (pair: ProxiedPair) => void;
  /** Returns whether new connections are reset. Default: they are not. */
  readonly refuses?: () => boolean;
  /** Returns whether a client stays connected after the server has closed its connection. Default: it does not. */
  readonly keepsClients?: () => boolean;
  /** Accepts TLS connections, and forwards them without TLS. Default: accepts connections without TLS. */
  readonly tls?: TlsOptions;
}

const host = "127.0.0.1";

/** Resets the client's connection, and closes the one to the server. */
export function resetPair({ client, server }: ProxiedPair): void {
  // A TLS connection cannot be reset.
  if (client instanceof TLSSocket) client.destroy();
  else client.resetAndDestroy();
  server.destroy();
}

function forwardAll({ client, server }: ProxiedPair): void {
  client.pipe(server).pipe(client);
}

/** Starts a TCP proxy on 127.0.0.1. @param target a URL with the server's host and port */
export async function startTcpProxy(
  target: string,
  { forward = forwardAll, refuses = () => false, keepsClients = () => false, tls }: TcpProxyOptions = {},
) {
  const { hostname, port } = new URL(target);
  const pairs = new Set<ProxiedPair>();
  const accept = (client: Socket) => {
    client.on("error", () => undefined);
    if (refuses()) return void client.resetAndDestroy();
    const server = dial({ host: hostname, port: Number(port), noDelay: true });
    const pair = { client, server };
    pairs.add(pair);
    server.on("error", () => undefined);
    client.on("close", () => {
      pairs.delete(pair);
      server.destroy();
    });
    server.on("close", () => {
      if (!keepsClients()) resetPair(pair);
    });
    forward(pair);
  };
  const listener = tls === undefined ? createServer({ noDelay: true }, accept) : createTlsServer(tls, accept);
  listener.listen(0, host);
  await once(listener, "listening");
  const resetAll = () => {
    for (const pair of pairs) resetPair(pair);
  };
  return {
    /** Listening address, `host:port`. */
    address: `${host}:${(listener.address() as AddressInfo).port}`,
    resetAll,
    close: () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve());
        resetAll();
      }),
  };
}

/** Returns a database's connection string with the address of a proxy. */
export function proxiedUri(uri: string, address: string): string {
  const proxied = new URL(uri);
  proxied.host = address;
  return proxied.href;
}
