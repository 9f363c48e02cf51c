import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from "node:tls";

/** A TLS server for tests that does to its connections whatever the test says. */
export interface TlsServerFixture {
  readonly port: number;
  /** TLS connections that were accepted. */
  readonly connections: () => number;
  /** TCP connections that are open now. */
  readonly open: () => number;
  /** Resets a connection, as a host does that crashed. */
  reset(socket: TLSSocket): void;
  stop(): Promise<void>;
}

/** What {@link startTlsServer} can be told. */
export interface TlsServerOptions {
  /** Takes a connection before TLS begins, which then never does. */
  readonly accept?: (socket: Socket) => void;
  /** Settings of TLS beside certificate and key. */
  readonly tls?: TlsOptions;
}

/** Starts a server that hands each connection to the test once TLS is there. */
export async function startTlsServer(
  certificate: { readonly certPem: string; readonly keyPem: string },
  secured: (socket: TLSSocket) => void,
  options: TlsServerOptions = {},
): Promise<TlsServerFixture> {
  const open = new Map<number | undefined, Socket>();
  let connections = 0;
  const settings = { cert: certificate.certPem, key: certificate.keyPem, ...options.tls };
  const secure = createTlsServer(settings, (socket) => {
    connections++;
    socket.on("error", () => undefined);
    secured(socket);
  });
  secure.on("tlsClientError", () => undefined);
  const accept = options.accept ?? ((socket) => void secure.emit("connection", socket));
  const server = createTcpServer((socket) => {
    const port = socket.remotePort;
    open.set(port, socket);
    socket.on("close", () => open.delete(port));
    socket.on("error", () => undefined);
    accept(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    connections: () => connections,
    open: () => open.size,
    reset: (socket) => void open.get(socket.remotePort)?.resetAndDestroy(),
    stop: () =>
      new Promise((stopped) => {
        for (const socket of open.values()) socket.destroy();
        server.close(() => stopped());
      }),
  };
}
