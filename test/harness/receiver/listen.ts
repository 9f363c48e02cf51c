import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { SeededRandom } from "../seeded-random.ts";
import { type Reply, replyTo } from "./behaviour.ts";
import { readRequest } from "./http-request.ts";
import type { RequestLogWriter } from "./request-log-writer.ts";

interface ReceiverSetup {
  /** Port on 127.0.0.1. */
  readonly port: number;
  /** PEM. */
  readonly cert: Buffer;
  /** PEM. */
  readonly key: Buffer;
  readonly log: RequestLogWriter;
  readonly random: SeededRandom;
}

/**
 * Listens for HTTPS requests. Uses node:tls rather than node:https, because the log must contain every byte, including
 * those of incomplete requests. Connections remain open after a response; the sender closes them.
 */
export function listenAsReceiver({ port, cert, key, log, random }: ReceiverSetup): void {
  const tcpSockets = new Map<number | undefined, Socket>();
  let connections = 0;
  const server = createServer({ cert, key }, (socket) => {
    const connection = ++connections;
    let unread = Buffer.alloc(0);
    // Errors are expected, because tests kill senders in the middle of a request.
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      log.addBytes(connection, bytes);
      unread = Buffer.concat([unread, bytes]);
      const request = readRequest(unread);
      if (!request.isComplete) return;
      unread = unread.subarray(request.bytes);
      const reply = replyTo(request.path, random);
      log.addReply(connection, reply);
      send(socket, tcpSockets.get(socket.remotePort), reply);
    });
  });
  server.on("tlsClientError", () => undefined);
  // A TLSSocket cannot send a reset; its underlying TCP socket can.
  server.on("connection", (socket: Socket) => {
    const { remotePort } = socket;
    socket.setNoDelay();
    tcpSockets.set(remotePort, socket);
    socket.once("close", () => tcpSockets.delete(remotePort));
  });
  server.listen(port, "127.0.0.1");
}

function send(socket: TLSSocket, tcp: Socket | undefined, reply: Reply): void {
  if (reply === "reset") tcp?.resetAndDestroy();
  else if (reply === "204") socket.write("HTTP/1.1 204 No Content\r\n\r\n");
  else if (reply === "500") socket.write("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
}
