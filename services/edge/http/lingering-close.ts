import type { Duplex } from "node:stream";

const lingerMs = 2_000;
const lingerBytesMax = 2 * 1_024 * 1_024;

/**
 * Sends the last bytes of a connection, then reads and discards input for at most 2 s and 2 MiB (RFC 9112 §9.6).
 * Closing a connection while the client is still sending resets it, and a reset can discard the response before the
 * client has read it.
 */
export function lingeringClose(socket: Duplex, bytes: Buffer): void {
  let discarded = 0;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
  // Detaches the HTTP parser.
  socket.removeAllListeners("data");
  socket.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > lingerBytesMax) socket.destroy();
  });
  socket.on("error", () => socket.destroy());
  socket.end(bytes);
  socket.resume();
}
