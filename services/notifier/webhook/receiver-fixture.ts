import type { TLSSocket } from "node:tls";
import { startTlsServer, type TlsServerOptions } from "./tls-server-fixture.ts";

/** A received request. The head is decoded as latin1 and lacks the blank line at its end. */
export interface ReceivedRequest {
  readonly head: string;
  readonly body: Buffer;
}

/** Starts an HTTPS receiver that reads each request completely, then calls `reply`, which writes to the socket. */
export async function startReceiverFixture(
  certificate: { readonly certPem: string; readonly keyPem: string },
  reply: (socket: TLSSocket, request: ReceivedRequest) => void,
  options?: TlsServerOptions,
) {
  const requests: ReceivedRequest[] = [];
  const server = await startTlsServer(
    certificate,
    (socket) => {
      let bytes = Buffer.alloc(0);
      socket.on("data", (chunk) => {
        bytes = Buffer.concat([bytes, chunk]);
        const request = completeRequest(bytes);
        if (request === undefined) return;
        bytes = Buffer.alloc(0);
        requests.push(request);
        reply(socket, request);
      });
    },
    options,
  );
  return { ...server, requests };
}

function completeRequest(bytes: Buffer): ReceivedRequest | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.subarray(0, end).toString("latin1");
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
  const body = bytes.subarray(end + 4);
  return body.length < length ? undefined : { head, body };
}
