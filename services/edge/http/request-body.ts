import type { IncomingMessage, ServerResponse } from "node:http";

/** How much of a body nobody asked for is read before the connection is cut, in bytes. */
export const ignoredBodyBytesMax = 2 * 1_024 * 1_024;

/**
 * Reads a request's body to nowhere: no operation here takes one (INTERFACE.md §4.1), and the next request on
 * the connection stands behind it. Node alone would read without an end. What is larger ends the connection after the
 * reply.
 */
export function ignoreBody(request: IncomingMessage, response: ServerResponse): void {
  const declared = request.headers["content-length"];
  const hasBody = request.headers["transfer-encoding"] !== undefined || (declared ?? "0") !== "0";
  if (!hasBody) return;
  const cut = () => request.socket.destroySoon();
  let received = 0;
  request.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received <= ignoredBodyBytesMax) return;
    request.pause();
    if (response.writableFinished) cut();
    else response.once("finish", cut);
  });
}
