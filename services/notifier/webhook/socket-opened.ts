import type { Socket } from "node:net";
import { after } from "#shared/time/after.ts";
import { onAbort } from "./on-abort.ts";
import type { PhaseTimeout } from "./with-timeout.ts";

/**
 * Waits until a socket is open. The socket's errors never become uncaught exceptions, even after the wait.
 *
 * @param event `connect` for TCP, `secureConnect` for TLS
 * @param signal destroys the socket when aborted
 * @param timeout destroys the socket once its time has passed; default: no limit
 * @throws the socket's error, the signal's reason, the timeout's failure, or an error if the peer closed the connection
 */
export async function socketOpened(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
  timeout?: Omit<PhaseTimeout, "signal">,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onClose = () => reject(new Error("the peer closed the connection"));
  // Remains attached, so that later errors are handled too.
  socket.on("error", reject);
  socket.once("close", onClose);
  socket.once(event, resolve);
  using _listener = onAbort(signal, () => socket.destroy(signal.reason));
  using _limit = timeout && after(timeout.timeoutMs, () => socket.destroy(timeout.failure(timeout.timeoutMs / 1_000)));
  try {
    await promise;
  } finally {
    socket.off("close", onClose);
    socket.off(event, resolve);
  }
}
