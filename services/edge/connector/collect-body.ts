import type { IncomingMessage, ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import type { Network } from "#shared/address-guard/network.ts";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import { clientAddress } from "../http/client-address.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { HttpStatusError } from "../http/errors.ts";
import { type BudgetShare, SharedBudget } from "../limits/shared-budget.ts";
import { adapterFor } from "./adapters.ts";

/** Maximum size of a message; an order with 250 lines takes about 1 MiB. */
export const messageBytesMax = 5 * 1_024 * 1_024;

const mib = 1_024 * 1_024;

/**
 * Limits on the memory for bodies that are being received or handled. Anyone can send bodies, because a signature can
 * be checked only once the body is complete. To reserve memory for genuine messages, each client has a limit, each
 * store from which this process has received a genuine message has a limit, and all other stores share a limit.
 */
const bytesMax = { all: 64 * mib, client: 8 * mib, knownShop: 32 * mib, otherShops: 24 * mib } as const;

// Platforms stop waiting for the response after this time and repeat the message.
const receiveMs = 5_000;
const knownShopsMax = 10_000;

/**
 * Collects the raw bodies of messages from storefront platforms. Must run before any middleware that waits: the server
 * discards the parts of a body that arrive before this middleware runs.
 *
 * The promise `state.body` rejects with HttpStatusError 413 for a body over {@link messageBytesMax}, with 408 for one
 * that takes too long to arrive, with ServiceError `unavailable` for one that would exceed a memory limit, and with
 * `bad_request` for an incomplete body.
 *
 * @param proxies networks of the proxies whose `X-Forwarded-For` is trusted
 */
export function collectBodies(proxies: readonly Network[]): EdgeMiddleware {
  const budget = new SharedBudget();
  // The stores for which this process has received a message that the registry knows to be of the store.
  const knownShops = new LRUCache<string, true>({ max: knownShopsMax });
  return async (ctx, next) => {
    const { req, res, state } = ctx;
    const adapter = adapterFor(req);
    if (adapter === undefined) return next();
    const shop = [req.headers[adapter.headers.shop] ?? []].flat().join().toLowerCase();
    const client = clientAddress(req.socket.remoteAddress, req.headersDistinct["x-forwarded-for"] ?? [], proxies);
    const shares: BudgetShare[] = [
      { key: "all", max: bytesMax.all },
      { key: `client ${client?.networks.at(-1)}`, max: bytesMax.client },
      knownShops.has(shop)
        ? { key: `shop ${shop}`, max: bytesMax.knownShop }
        : { key: "other shops", max: bytesMax.otherShops },
    ];
    state.body = collect(req, res, {
      take: (bytes) => budget.take(shares, bytes),
      giveBack: (bytes) => budget.giveBack(shares, bytes),
    });
    // Prevents an unhandled rejection if no handler uses the body. A handler that awaits it still gets the error.
    state.body.catch(() => undefined);
    await next();
    // Not the header: it is not signed.
    if (state.messageShop !== undefined) knownShops.set(state.messageShop, true);
  };
}

interface Room {
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
}

function collect(request: IncomingMessage, response: ServerResponse, room: Room): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let state: "receiving" | "received" | "over" = "receiving";
    const release = () => {
      if (state === "over") return;
      // Set first: the rest of a refused body may still arrive, and must be neither stored nor counted.
      state = "over";
      clearTimeout(timer);
      chunks.length = 0;
      room.giveBack(length);
    };
    const refuse = (error: Error) => {
      if (state !== "receiving") return;
      release();
      reject(error);
    };
    const timer = setTimeout(() => refuse(tooSlow()), receiveMs);
    request.on("data", (chunk: Buffer) => {
      if (state !== "receiving") return;
      if (length + chunk.length > messageBytesMax) return refuse(tooLarge());
      if (!room.take(chunk.length)) return refuse(tooMany());
      length += chunk.length;
      chunks.push(chunk);
    });
    request.once("end", () => {
      if (state !== "receiving") return;
      state = "received";
      clearTimeout(timer);
      const body = Buffer.concat(chunks);
      chunks.length = 0;
      resolve(body);
    });
    // A complete body stays in memory until its message has been handled or the client disconnects.
    response.once("close", () => {
      refuse(badRequest("body", "was not received in full; send it again"));
      release();
    });
  });
}

function tooLarge(): HttpStatusError {
  return new HttpStatusError(413, `The body is larger than ${messageBytesMax} bytes.`);
}

function tooSlow(): HttpStatusError {
  return new HttpStatusError(408, `The body did not arrive within ${receiveMs / 1_000} seconds.`);
}

function tooMany(): ServiceError {
  return new ServiceError("unavailable", "Too many messages are being received. Try again in a few seconds.");
}
