import type { IncomingMessage, ServerResponse } from "node:http";

/** The default maximum number of body bytes to discard; a larger body closes the connection. */
export const discardedBodyBytesMax = 2 * 1_024 * 1_024;

/**
 * Reads a request's body and discards it, so that the next request on the connection can be read. Node would discard a
 * body of any size; this function closes the connection after the response if the body exceeds `bytesMax`.
 */
export function discardBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax = discardedBodyBytesMax,
): void {
  const declared = request.headers["content-length"];
  const hasBody = request.headers["transfer-encoding"] !== undefined || (declared ?? "0") !== "0";
  if (!hasBody) return;
  const closeConnection = () => request.socket.destroySoon();
  let received = 0;
  request.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received <= bytesMax) return;
    request.pause();
    if (response.writableFinished) closeConnection();
    else response.once("finish", closeConnection);
  });
}
