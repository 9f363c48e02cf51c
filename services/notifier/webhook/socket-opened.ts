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
    const onClose = () => settle(() => reject(new Error("the other side closed the connection")));
    const onOpen = () => settle(resolve);
    // What is left behind would make an error for each socket that is closed later.
    const settle = (tell: () => void) => {
      ending.removeEventListener("abort", onEnding);
      socket.off("close", onClose);
      socket.off(event, onOpen);
      tell();
    };
    socket.on("error", reject);
    socket.once("close", onClose);
    socket.once(event, onOpen);
    ending.addEventListener("abort", onEnding, { once: true });
    if (ending.aborted) onEnding();
  });
}
