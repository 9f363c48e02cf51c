import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from "node:tls";

/** A TLS server whose connections the test handles. */
export interface TlsServerFixture {
  readonly port: number;
  readonly connections: () => number;
  readonly open: () => number;
  /** Resets a connection, like a crashed host. */
  reset(socket: TLSSocket): void;
  stop(): Promise<void>;
}

/** The options of {@link startTlsServer}. */
export interface TlsServerOptions {
  /** Handles a connection instead of the TLS handshake. */
  readonly accept?: (socket: Socket) => void;
  /** TLS options in addition to certificate and key. */
  readonly tls?: TlsOptions;
}

/** Starts a server that calls `onSecure` with each connection after the TLS handshake. */
export async function startTlsServer(
  certificate: { readonly certPem: string; readonly keyPem: string },
  onSecure: (socket: TLSSocket) => void,
  options: TlsServerOptions = {},
): Promise<TlsServerFixture> {
  const open = new Map<number | undefined, Socket>();
  let connections = 0;
  const settings = { cert: certificate.certPem, key: certificate.keyPem, ...options.tls };
  const secure = createTlsServer(settings, (socket) => {
    connections++;
    socket.on("error", () => undefined);
    onSecure(socket);
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
