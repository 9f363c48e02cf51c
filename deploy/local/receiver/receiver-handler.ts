import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isGenuine } from "../../receivers/verify-signature.mjs";
import type { MessageBox } from "./message-box.ts";
import { readRawBody } from "./read-raw-body.ts";
import type { MessageFacts, ReceivedMessage } from "./received-message.ts";

/** What the receiver works with. */
export interface ReceiverDeps {
  /** The secrets that hold now: two while one is being replaced. */
  readonly readSecrets: () => Promise<readonly string[]>;
  readonly box: MessageBox;
  /** Told of every message, before the reply. A failure is answered with 500. */
  readonly onMessage: (message: ReceivedMessage, facts: MessageFacts) => Promise<void>;
}

const bodyBytesMax = 1_024 * 1_024;
const messagesPath = "/messages/";

/**
 * A webhook receiver as an integrator would write it: POST on any path takes a message (204, or 401 where the
 * signature does not fit), `GET /` shows counts, `GET /messages/<certificate id>` the texts.
 */
export function receiverHandler(deps: ReceiverDeps): RequestListener {
  return (request, response) => {
    answer(request, response, deps).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, deps: ReceiverDeps): Promise<void> {
  const path = request.url ?? "/";
  if (request.method === "POST") return takeMessage(request, response, deps);
  if (request.method !== "GET") {
    response.writeHead(405, { allow: "GET, POST" }).end();
  } else if (path === "/") {
    showJson(response, deps.box.summary());
  } else if (path.startsWith(messagesPath)) {
    showJson(response, deps.box.textsOf(path.slice(messagesPath.length)));
  } else {
    response.writeHead(404).end();
  }
}

async function takeMessage(
  request: IncomingMessage,
  response: ServerResponse,
  { readSecrets, box, onMessage }: ReceiverDeps,
): Promise<void> {
  const rawBody = await readRawBody(request, bodyBytesMax);
  if (rawBody === undefined) {
    response.writeHead(413, { connection: "close" }).end();
    return;
  }
  const message = {
    receivedAt: new Date().toISOString(),
    deliveryId: headerOf(request, "x-service-delivery") ?? "",
    verified: isGenuine(rawBody, request.headers, await readSecrets()),
    body: rawBody.toString("utf8"),
  };
  await onMessage(message, box.add(message));
  response.writeHead(message.verified ? 204 : 401).end();
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function showJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(`${JSON.stringify(value, null, 2)}\n`);
}
