import { Agent } from "node:http";
import { systemClock } from "#shared/time/clock.ts";
import type { RateLimitPolicy } from "../../../services/registry/admissions/admission.ts";
import { Counter } from "../runner/counter.ts";
import type { StoreWithKey } from "../runner/workload-store.ts";
import { type Exchange, sendRequest } from "./send-request.ts";

interface LoadSetup extends RateLimitPolicy {
  readonly stores: readonly StoreWithKey[];
  readonly edgeUrls: readonly string[];
  /** Request rate of each store, as a multiple of its limit. */
  readonly times: number;
  readonly seconds: number;
  /** Maximum number of requests in progress. */
  readonly concurrency: number;
  /** Ends the load early. */
  readonly signal: AbortSignal;
  /** Called after every response and every failed request. */
  readonly onAnswer: () => void;
}

/**
 * Sends the requests of each store at a constant rate, spread over the edges, on keep-alive connections. A request
 * that is due while the maximum number of requests is in progress is delayed, and all later requests with it: a slow
 * machine sends fewer requests and never catches up in a burst. The stores start one after another within the first
 * window, because the admissions of one store leave its window at nearly the same time: without these offsets, those of
 * all stores would leave together.
 */
export async function generateLoad(setup: LoadSetup) {
  const { stores, edgeUrls, limit, windowMs, times, seconds, concurrency, signal, onAnswer } = setup;
  const everyMs = windowMs / (limit * times * stores.length);
  // FIFO uses the connections in turn: no connection idles so long that the edge closes it just as a request is sent.
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency, scheduling: "fifo" });
  const exchanges = stores.map((): Exchange[] => []);
  const problems = new Counter();
  let errors = 0;
  let shed = 0;
  let count = 0;
  const startsAfterMs = (store: number) => (store * windowMs) / stores.length;
  const startedAt = performance.now();
  const endAt = startedAt + 1_000 * seconds;
  let nextAt = startedAt;
  const send = async (store: number, turn: number) => {
    // Consecutive requests of a store rotate over the edges.
    const url = `${edgeUrls[(store + turn) % edgeUrls.length]}/v1/certificates?limit=1`;
    try {
      const exchange = await sendRequest(url, stores[store]?.apiKey ?? "", agent, windowMs);
      if (exchange === undefined) shed++;
      else exchanges[store]?.push(exchange);
    } catch (error) {
      errors++;
      problems.add(error instanceof Error ? error.message : String(error));
    }
    onAnswer();
  };
  const work = async () => {
    for (;;) {
      const now = performance.now();
      const dueAt = Math.max(nextAt, now - everyMs);
      if (dueAt >= endAt || signal.aborted) return;
      nextAt = dueAt + everyMs;
      const index = count++;
      const store = index % stores.length;
      if (dueAt - startedAt < startsAfterMs(store)) continue;
      if (dueAt > now) await systemClock.sleep(dueAt - now, signal);
      if (signal.aborted) return;
      await send(store, Math.floor(index / stores.length));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  agent.destroy();
  const elapsedMs = performance.now() - startedAt;
  const storesMs = stores.reduce((sum, _, store) => sum + elapsedMs - startsAfterMs(store), 0);
  return { exchanges, problems, errors, shed, elapsedMs, storesMs };
}
