import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { SeededRandom } from "../../../harness/seeded-random.ts";
import { type Reply, replyTo } from "./behaviour.ts";
import { readRequest } from "./http-request.ts";
import type { ReceiverRecord } from "./record.ts";

/** What the receiver works with. */
export interface ReceiverSetup {
  /** On 127.0.0.1. */
  readonly port: number;
  /** PEM. */
  readonly cert: Buffer;
  /** PEM. */
  readonly key: Buffer;
  readonly record: ReceiverRecord;
  readonly random: SeededRandom;
}

/** Listens. Every byte is in the record, in the order in which it came, before a request is answered. */
export function listenAsReceiver({ port, cert, key, record, random }: ReceiverSetup): void {
  const tcpSockets = new Map<number | undefined, Socket>();
  let connections = 0;
  const server = createServer({ cert, key }, (socket) => {
    const connection = ++connections;
    let unread = Buffer.alloc(0);
    // Senders are killed.
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      record.addBytes(connection, bytes);
      unread = Buffer.concat([unread, bytes]);
      const request = readRequest(unread);
      if (!request.isComplete) return;
      unread = unread.subarray(request.bytes);
      const reply = replyTo(request.path, random);
      record.addReply(connection, reply);
      answer(socket, tcpSockets.get(socket.remotePort), reply);
    });
  });
  server.on("tlsClientError", () => undefined);
  server.on("connection", (socket: Socket) => {
    const { remotePort } = socket;
    tcpSockets.set(remotePort, socket);
    socket.once("close", () => tcpSockets.delete(remotePort));
  });
  server.listen(port, "127.0.0.1");
}

function answer(socket: TLSSocket, tcp: Socket | undefined, reply: Reply): void {
  if (reply === "reset") tcp?.resetAndDestroy();
  else if (reply === "204") socket.end("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  else if (reply === "500") socket.end("HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n\r\n");
}
