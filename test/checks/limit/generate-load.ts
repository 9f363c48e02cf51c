import { Agent } from "node:http";
import { systemClock } from "#shared/time/clock.ts";
import type { RateLimitPolicy } from "../../../services/registry/stores/admission.ts";
import { Counter } from "../runner/counter.ts";
import type { StoreWithKey } from "../runner/workload-store.ts";
import { type Exchange, sendRequest } from "./send-request.ts";

interface LoadSetup extends RateLimitPolicy {
  readonly stores: readonly StoreWithKey[];
  readonly edgeUrls: readonly string[];
  /** Request rate as a multiple of the limit. */
  readonly times: number;
  readonly seconds: number;
  /** Maximum of requests in progress. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/** The result of {@link generateLoad}. */
export interface GeneratedLoad {
  /** Exchanges of each store, in the order of the stores. */
  readonly exchanges: readonly (readonly Exchange[])[];
  /** Failures by message. */
  readonly problems: Counter;
  readonly errors: number;
  /** From the first request to the last reply. */
  readonly elapsedMs: number;
  /** Sum over the stores of the time in which they sent requests. */
  readonly storesMs: number;
}

/**
 * Sends the requests of each store at a constant rate, spread over the edges, on keep-alive connections. The pace is fixed:
 * a request is sent at its time, or when a request in progress ends. A slow machine therefore sends fewer requests, and
 * never catches up with a burst. The stores start one after the other within one window, because a store regains its places
 * all at once, and simultaneous windows would be a different load.
 */
export async function generateLoad(setup: LoadSetup): Promise<GeneratedLoad> {
  const { stores, edgeUrls, limit, windowMs, times, seconds, concurrency, signal } = setup;
  const everyMs = windowMs / (limit * times * stores.length);
  // FIFO: the edge could close an idle connection at the moment of its next use.
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency, scheduling: "fifo" });
  const exchanges = stores.map((): Exchange[] => []);
  const problems = new Counter();
  let errors = 0;
  let count = 0;
  const startsAfterMs = (store: number) => (store * windowMs) / stores.length;
  const startedAt = performance.now();
  const endAt = startedAt + 1_000 * seconds;
  let nextAt = startedAt;
  const send = async (store: number, turn: number) => {
    // Each request of a store uses the next edge.
    const url = `${edgeUrls[(store + turn) % edgeUrls.length]}/v1/certificates?limit=1`;
    try {
      exchanges[store]?.push(await sendRequest(url, stores[store]?.apiKey ?? "", agent, windowMs));
    } catch (error) {
      errors++;
      problems.add(error instanceof Error ? error.message : String(error));
    }
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
      await send(store, Math.floor(index / stores.length));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  agent.destroy();
  signal.throwIfAborted();
  const elapsedMs = performance.now() - startedAt;
  const storesMs = stores.reduce((sum, _, store) => sum + elapsedMs - startsAfterMs(store), 0);
  return { exchanges, problems, errors, elapsedMs, storesMs };
}
