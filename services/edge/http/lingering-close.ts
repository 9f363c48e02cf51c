import type { Duplex } from "node:stream";

const lingerMs = 2_000;
const lingerBytes = 2 * 1_024 * 1_024;

/**
 * Sends the last bytes of a connection and goes on reading for a while, at most 2 s and 2 MiB. A connection that is
 * closed while the client still sends is reset, and a reset discards the reply before the client has read it.
 */
export function lingeringClose(socket: Duplex, bytes: Buffer): void {
  let drained = 0;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
  // The HTTP parser has given up on this connection.
  socket.removeAllListeners("data");
  socket.on("data", (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > lingerBytes) socket.destroy();
  });
  socket.on("error", () => socket.destroy());
  socket.end(bytes);
  socket.resume();
}
