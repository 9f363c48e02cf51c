import { LRUCache } from "lru-cache";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { HttpStatusError } from "../http/errors.ts";
import { receiveBody } from "../http/receive-body.ts";
import { SharedBudget } from "../limits/shared-budget.ts";
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
 * Collects the raw bodies of messages from storefront platforms as `state.body`; see {@link receiveBody}. The promise
 * rejects with HttpStatusError 413 for a body over {@link messageBytesMax}.
 */
export function collectBodies(): EdgeMiddleware {
  const budget = new SharedBudget();
  // The stores for which this process has received a message that the registry knows to be of the store.
  const knownShops = new LRUCache<string, true>({ max: knownShopsMax });
  return async (ctx, next) => {
    const { req, res, state } = ctx;
    const adapter = adapterFor(req);
    if (adapter === undefined) return next();
    const shop = [req.headers[adapter.headers.shop] ?? []].flat().join().toLowerCase();
    const room = budget.roomIn([
      { key: "all", max: bytesMax.all },
      { key: `client ${state.client.networks.at(-1)}`, max: bytesMax.client },
      knownShops.has(shop)
        ? { key: `shop ${shop}`, max: bytesMax.knownShop }
        : { key: "other shops", max: bytesMax.otherShops },
    ]);
    state.body = receiveBody(req, res, { named: "body", bytesMax: messageBytesMax, receiveMs, room, tooLarge });
    await next();
    // Not the header: it is not signed.
    if (state.messageShop !== undefined) knownShops.set(state.messageShop, true);
  };
}

function tooLarge(): HttpStatusError {
  return new HttpStatusError(413, `The body is larger than ${messageBytesMax} bytes.`);
}
