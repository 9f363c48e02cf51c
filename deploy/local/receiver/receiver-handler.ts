import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isGenuine } from "../../receivers/verify-signature.mjs";
import { readRawBody } from "../http/read-raw-body.ts";
import type { MessageHistory } from "./message-history.ts";
import { type MessageSummary, messageHeaders, type ReceivedMessage } from "./received-message.ts";

interface ReceiverDeps {
  /** Returns the valid signing secrets: two during a rotation. */
  readonly readSecrets: () => Promise<readonly string[]>;
  readonly history: MessageHistory;
  /** Called for each message before the response is sent; if it rejects, the response has status 500. */
  readonly onMessage: (message: ReceivedMessage, summary: MessageSummary) => Promise<void>;
}

const bodyBytesMax = 1_024 * 1_024;
const messagesPath = "/messages/";

/**
 * Creates a webhook receiver that behaves like an integrator's server. POST on any path receives a message; the
 * response is 204, 401 when no signature matches, or 413 when the body exceeds 1 MiB. `GET /` returns a summary,
 * `GET /messages/<certificate id>` the raw bodies.
 */
export function receiverHandler(deps: ReceiverDeps): RequestListener {
  return (request, response) => {
    respond(request, response, deps).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  };
}

async function respond(request: IncomingMessage, response: ServerResponse, deps: ReceiverDeps): Promise<void> {
  const path = request.url ?? "/";
  if (request.method === "POST") return receiveMessage(request, response, deps);
  if (request.method !== "GET") {
    response.writeHead(405, { allow: "GET, POST" }).end();
  } else if (path === "/") {
    sendJson(response, deps.history.summary());
  } else if (path.startsWith(messagesPath)) {
    sendJson(response, deps.history.bodiesOf(path.slice(messagesPath.length)));
  } else {
    response.writeHead(404).end();
  }
}

async function receiveMessage(
  request: IncomingMessage,
  response: ServerResponse,
  { readSecrets, history, onMessage }: ReceiverDeps,
): Promise<void> {
  const rawBody = await readRawBody(request, bodyBytesMax);
  if (rawBody === undefined) {
    response.writeHead(413, { connection: "close" }).end();
    return;
  }
  const message = {
    receivedAt: new Date().toISOString(),
    deliveryId: request.headers["x-service-delivery"]?.toString() ?? "",
    headers: messageHeaders(request.headers),
    verified: isGenuine(rawBody, request.headers, await readSecrets()),
    body: rawBody.toString("utf8"),
  };
  await onMessage(message, history.add(message));
  response.writeHead(message.verified ? 204 : 401).end();
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(`${JSON.stringify(value, null, 2)}\n`);
}
