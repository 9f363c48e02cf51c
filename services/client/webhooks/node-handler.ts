import { requireSecret, type WebhookOptions } from "./receive-message.ts";
import { type ParsedBody, type RequestStream, receiveStream } from "./receive-stream.ts";

/** The part of Node's `IncomingMessage`, and of Express's request, that a handler needs. */
export interface NodeRequest extends RequestStream, ParsedBody {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The part of Node's `ServerResponse` that a handler needs. */
export interface NodeResponse {
  writeHead(status: number, headers?: Record<string, string>): { end(): unknown };
}

/** Creates a listener for `node:http` that is also a handler for Express. */
export function nodeHandler(options: WebhookOptions): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  requireSecret(options);
  return async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end();
    const status = await receiveStream(options, request.headers, request, request);
    // Closes the connection after 413, because the rest of the body is not read.
    response.writeHead(status, status === 413 ? { connection: "close" } : {}).end();
  };
}
