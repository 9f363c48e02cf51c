import type { Socket } from "node:net";

/**
 * Waits until a socket is open. Its errors never become uncaught, now or later.
 *
 * @param event `connect` of TCP, `secureConnect` of TLS
 * @param ending destroys the socket
 * @throws the socket's error, the signal's reason, or an error when the other side closed it
 */
export function socketOpened(
  socket: Socket,
  event: "connect" | "secureConnect",
  ending: AbortSignal,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const onEnding = () => socket.destroy(ending.reason);
    const settled = () => ending.removeEventListener("abort", onEnding);
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("the other side closed the connection")));
    socket.once(event, resolve);
    socket.once("close", settled);
    socket.once(event, settled);
    ending.addEventListener("abort", onEnding, { once: true });
    if (ending.aborted) onEnding();
  });
}
