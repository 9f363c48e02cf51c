import type { Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from "node:tls";
import { startTcpServer } from "./tcp-server-fixture.ts";

/** The options of {@link startTlsServer}. */
export interface TlsServerOptions {
  /** Handles each TCP connection in place of the TLS server. */
  readonly accept?: (socket: Socket) => void;
  /** TLS options in addition to certificate and key. */
  readonly tls?: TlsOptions;
}

/** Starts a server that calls `onSecure` with each connection after the TLS handshake. */
export async function startTlsServer(
  certificate: { readonly certPem: string; readonly keyPem: string },
  onSecure: (socket: TLSSocket) => void,
  options: TlsServerOptions = {},
) {
  let connections = 0;
  const settings = { cert: certificate.certPem, key: certificate.keyPem, ...options.tls };
  const secure = createTlsServer(settings, (socket) => {
    connections++;
    socket.on("error", () => undefined);
    onSecure(socket);
  });
  secure.on("tlsClientError", () => undefined);
  const accept = (socket: Socket) => void secure.emit("connection", socket);
  const server = await startTcpServer(options.accept ?? accept);
  return {
    ...server,
    /** Starts TLS on a TCP connection that {@link TlsServerOptions.accept} received. */
    accept,
    /** Replaces the keys of the session tickets, so that earlier sessions cannot be resumed. */
    setTicketKeys: (keys: Buffer) => void secure.setTicketKeys(keys),
    /** Number of TLS handshakes completed so far. */
    connections: () => connections,
    /** Resets a connection, as the host of a crashed server does. */
    reset: ({ remotePort }: TLSSocket) => {
      for (const socket of server.sockets) if (socket.remotePort === remotePort) socket.resetAndDestroy();
    },
  };
}
