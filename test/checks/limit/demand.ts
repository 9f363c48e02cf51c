import { Agent } from "node:http";
import { systemClock } from "#shared/time/clock.ts";
import type { RateLimitPolicy } from "../../../services/registry/stores/admission.ts";
import { Tally } from "../runner/tally.ts";
import { ask, type Exchange } from "./ask.ts";

/** A store that asks for more than it may have. */
export interface AskingStore {
  readonly id: string;
  readonly apiKey: string;
}

/** What {@link demand} works with. */
export interface DemandSetup {
  readonly stores: readonly AskingStore[];
  readonly edgeUrls: readonly string[];
  readonly policy: RateLimitPolicy;
  readonly times: number;
  readonly seconds: number;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/** What came of it. */
export interface Demanded {
  /** Of each store, in the order of the stores. */
  readonly exchanges: readonly (readonly Exchange[])[];
  /** What went wrong, in words. */
  readonly problems: Tally;
  readonly errors: number;
  /** From the first request to the last reply. */
  readonly elapsedMs: number;
  /** How long each store asked, all of them together. */
  readonly storesMs: number;
}

/**
 * Sends each store's requests evenly, over all of the edges, on connections that stay open. It is paced: each request has
 * its time and is sent then, or as soon as one of those under way is answered; so a slow machine sends fewer, and never
 * makes up for it with a burst. The stores begin one after the other, within one window: each gets its places back together,
 * and all of them doing so at the same time would be a load of another kind.
 */
export async function demand(setup: DemandSetup): Promise<Demanded> {
  const { stores, edgeUrls, policy, times, seconds, concurrency, signal } = setup;
  const everyMs = policy.windowMs / (policy.limit * times * stores.length);
  // In turn: one that were left alone for a while would be closed by the edge, perhaps just when it is used again.
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency, scheduling: "fifo" });
  const exchanges = stores.map((): Exchange[] => []);
  const problems = new Tally();
  let errors = 0;
  let count = 0;
  const startsAfterMs = (store: number) => (store * policy.windowMs) / stores.length;
  const startedAt = performance.now();
  const endAt = startedAt + 1_000 * seconds;
  let nextAt = startedAt;
  const askFor = async (store: number, turn: number) => {
    // A store goes on to the next edge with each of its requests.
    const url = `${edgeUrls[(store + turn) % edgeUrls.length]}/v1/certificates?limit=1`;
    try {
      exchanges[store]?.push(await ask(url, stores[store]?.apiKey ?? "", agent, policy));
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
      await askFor(store, Math.floor(index / stores.length));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  agent.destroy();
  signal.throwIfAborted();
  const elapsedMs = performance.now() - startedAt;
  const storesMs = stores.reduce((sum, _, store) => sum + elapsedMs - startsAfterMs(store), 0);
  return { exchanges, problems, errors, elapsedMs, storesMs };
}
