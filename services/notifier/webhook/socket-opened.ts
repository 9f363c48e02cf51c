import { addAbortListener } from "node:events";
import type { Socket } from "node:net";

/**
 * Waits until a socket is open. The socket's errors never become uncaught exceptions, even after the wait.
 *
 * @param event `connect` for TCP, `secureConnect` for TLS
 * @param signal destroys the socket when aborted
 * @throws the socket's error, the signal's reason, or an error if the peer closed the connection
 */
export async function socketOpened(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onClose = () => reject(new Error("the peer closed the connection"));
  // Remains attached, so that later errors are handled too.
  socket.on("error", reject);
  socket.once("close", onClose);
  socket.once(event, resolve);
  using _ = addAbortListener(signal, () => socket.destroy(signal.reason));
  try {
    await promise;
  } finally {
    socket.off("close", onClose);
    socket.off(event, resolve);
  }
}
