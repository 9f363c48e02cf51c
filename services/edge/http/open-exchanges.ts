import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

type Response = ServerResponse<IncomingMessage>;

/** Knows which requests of a connection are under way. */
export interface OpenExchanges {
  /**
   * Takes the connection for a raw reply, if that would be read as the answer to what was just sent on it.
   *
   * @returns false while an earlier request is under way, and when the request at fault has its answer already
   */
  takeOver(socket: Socket): boolean;
}

/** Watches a server's requests. */
export function watchExchanges(server: Server): OpenExchanges {
  const seen = new WeakMap<Socket, Response[]>();
  const openOn = (socket: Socket) => (seen.get(socket) ?? []).filter(isOpen);
  server.prependListener("request", (request: IncomingMessage, response: Response) => {
    // The rest of a flood on one connection, which was closed for it.
    if (request.socket.destroyed) return;
    seen.set(request.socket, [...openOn(request.socket), response]);
  });
  return {
    takeOver(socket) {
      const [response, ...others] = openOn(socket);
      if (response === undefined) return true;
      if (others.length > 0 || response.headersSent || response.req.complete) return false;
      // What the handler still writes must not follow the raw reply.
      response.detachSocket(socket);
      return true;
    },
  };
}

// An answered request whose body is still arriving is open, too: what goes wrong in the body needs no second answer.
function isOpen(response: Response): boolean {
  return !(response.writableFinished && response.req.complete);
}
