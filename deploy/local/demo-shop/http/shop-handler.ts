import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { z } from "zod";
import { pageHeaders } from "../../../../services/edge/pages/page-headers.ts";
import { readRawBody } from "../../http/read-raw-body.ts";
import type { Mirror } from "../integrator/mirror.ts";
import { OrderRefusal } from "../shop/order.ts";
import type { OrderDesk } from "../shop/order-desk.ts";
import type { EventStream } from "./event-stream.ts";
import { isFromOwnPage, isLocalHost } from "./local-request.ts";
import type { PageFile } from "./page-files.ts";

interface ShopHandlerDeps {
  readonly desk: OrderDesk;
  readonly mirror: Mirror;
  readonly stream: EventStream;
  readonly files: ReadonlyMap<string, PageFile>;
}

const bodyBytesMax = 4_096;
const placeBody = z.strictObject({ productId: z.int(), quantity: z.int() });
const orderBody = z.strictObject({ orderId: z.int() });
const emptyBody = z.strictObject({});

/**
 * Creates the handler for the page, its event stream `/events` and its actions. It responds with 421 unless `Host` is
 * 127.0.0.1 or localhost with the server's port, and accepts actions only from its own page.
 */
export function shopHandler(deps: ShopHandlerDeps): RequestListener {
  const actions = actionsOf(deps);
  return (request, response) => {
    // The page receives an OrderRefusal's own message, and a general message for any other error.
    respond(request, response, deps, actions).catch((error: unknown) => {
      if (error instanceof OrderRefusal) return sendJson(response, 409, { message: error.message });
      const isBadRequest = error instanceof z.ZodError || error instanceof SyntaxError;
      sendJson(response, isBadRequest ? 400 : 500, { message: "The demo shop could not handle the request." });
    });
  };
}

type Action = (body: unknown) => unknown;

function actionsOf({ desk, mirror }: ShopHandlerDeps): Readonly<Record<string, Action>> {
  const forOrder = (act: (orderId: number) => void) => (body: unknown) => act(orderBody.parse(body).orderId);
  return {
    "/orders": (body) => {
      const { productId, quantity } = placeBody.parse(body);
      return { orderId: desk.place(productId, quantity) };
    },
    "/orders/refund": forOrder((orderId) => desk.refund(orderId)),
    "/orders/cancel": forOrder((orderId) => desk.cancel(orderId)),
    "/orders/repeat": forOrder((orderId) => desk.repeat(orderId)),
    "/mirror/pause": (body) => {
      emptyBody.parse(body);
      mirror.pause();
    },
    "/mirror/resume": (body) => {
      emptyBody.parse(body);
      return mirror.resume();
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { mirror, stream, files }: ShopHandlerDeps,
  actions: Readonly<Record<string, Action>>,
): Promise<void> {
  const { headers, method, url = "/", socket } = request;
  if (!isLocalHost(headers, socket.localPort ?? 0)) return sendJson(response, 421, { message: "Wrong host." });
  if (method === "POST") {
    const action = Object.hasOwn(actions, url) ? actions[url] : undefined;
    if (action === undefined) return sendJson(response, 404, { message: "Not found." });
    if (!isFromOwnPage(headers))
      return sendJson(response, 403, { message: "The demo shop accepts this action only from its own page." });
    const result = await action(JSON.parse(await readBody(request)));
    return sendJson(response, 200, result ?? {});
  }
  if (method !== "GET" && method !== "HEAD") return void response.writeHead(405, { allow: "GET, HEAD, POST" }).end();
  if (url === "/events" && method === "GET") return stream.open(response);
  const file = files.get(url);
  if (file === undefined) return sendJson(response, 404, { message: "Not found." });
  // The mirror first reads the list when the page is opened: an earlier read would only use up the store's rate limit.
  if (url === "/") void mirror.open();
  response.writeHead(200, { ...pageHeaders, "content-type": file.contentType, "x-content-type-options": "nosniff" });
  response.end(method === "HEAD" ? undefined : file.body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const body = await readRawBody(request, bodyBytesMax);
  if (body === undefined) throw new SyntaxError("the request body is too large");
  return body.toString("utf8");
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(value));
}
