import type { AddressInfo, Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";

/** One request, byte for byte. */
export interface ReceivedRequest {
  readonly head: string;
  readonly body: Buffer;
}

/** A receiver for tests that does to the connection whatever the test says. */
export interface ReceiverFixture {
  readonly port: number;
  /** Complete requests, in the order they came. */
  readonly requests: readonly ReceivedRequest[];
  /** TLS connections that were accepted. */
  readonly connections: () => number;
  /** Connections that are open now. */
  readonly open: () => number;
  /** Resets a connection, as a host does that crashed. */
  reset(socket: TLSSocket): void;
  stop(): Promise<void>;
}

/** Starts a TLS server that reads whole requests and leaves the reply to the test. */
export function startReceiverFixture(
  certificate: { readonly certPem: string; readonly keyPem: string },
  reply: (socket: TLSSocket, request: ReceivedRequest) => void,
): Promise<ReceiverFixture> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<TLSSocket>();
  let connections = 0;
  const server = createServer({ cert: certificate.certPem, key: certificate.keyPem }, (socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    let bytes = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      const request = completeRequest(bytes);
      if (request === undefined) return;
      bytes = Buffer.alloc(0);
      requests.push(request);
      reply(socket, request);
    });
  });
  server.on("tlsClientError", () => undefined);
  const raw = new Map<number | undefined, Socket>();
  server.on("connection", (socket: Socket) => raw.set(socket.remotePort, socket));
  const reset = (socket: TLSSocket) => void raw.get(socket.remotePort)?.resetAndDestroy();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      const stop = () =>
        new Promise<void>((stopped) => {
          for (const socket of sockets) socket.destroy();
          server.close(() => stopped());
        });
      resolve({ port, requests, connections: () => connections, open: () => sockets.size, reset, stop });
    });
  });
}

function completeRequest(bytes: Buffer): ReceivedRequest | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.subarray(0, end).toString("latin1");
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
  const body = bytes.subarray(end + 4);
  return body.length < length ? undefined : { head, body };
}
