import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

type Response = ServerResponse<IncomingMessage>;

/**
 * Tracks the requests in progress on each connection of a server.
 *
 * @returns a function that detaches the pending response, if any, from a connection, so that a raw response can be
 *   written in its place. The function returns false if the client would attribute the raw response to another request:
 *   an earlier request is in progress, or the invalid request already has its response.
 */
export function trackPendingResponses(server: Server): (socket: Socket) => boolean {
  const tracked = new WeakMap<Socket, Response[]>();
  const pendingOn = (socket: Socket) => (tracked.get(socket) ?? []).filter(isPending);
  server.prependListener("request", (request: IncomingMessage, response: Response) => {
    // Ignores a pipelined request that was parsed after its connection was closed.
    if (request.socket.destroyed) return;
    tracked.set(request.socket, [...pendingOn(request.socket), response]);
  });
  return (socket) => {
    const [response, ...others] = pendingOn(socket);
    if (response === undefined) return true;
    if (others.length > 0 || response.headersSent || response.req.complete) return false;
    // Bytes that the handler writes later must not follow the raw response.
    response.detachSocket(socket);
    return true;
  };
}

// A request whose body is still arriving is pending even after its response: an invalid body must not get a second
// response.
function isPending(response: Response): boolean {
  return !(response.writableFinished && response.req.complete);
}
