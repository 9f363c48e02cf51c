import type { IncomingMessage, ServerResponse } from "node:http";

/** The number of body bytes that are read and discarded before the connection is closed. */
export const discardedBodyBytesMax = 2 * 1_024 * 1_024;

/**
 * Reads and discards a request's body: no operation takes one (INTERFACE.md §4.1), and the next request on the connection
 * follows it. Node alone would read without a limit. A larger body closes the connection after the response.
 */
export function discardBody(request: IncomingMessage, response: ServerResponse): void {
  const declared = request.headers["content-length"];
  const hasBody = request.headers["transfer-encoding"] !== undefined || (declared ?? "0") !== "0";
  if (!hasBody) return;
  const closeConnection = () => request.socket.destroySoon();
  let received = 0;
  request.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received <= discardedBodyBytesMax) return;
    request.pause();
    if (response.writableFinished) closeConnection();
    else response.once("finish", closeConnection);
  });
}
