import type { Collections } from "../../../services/registry/mongo/collections.ts";
import type { FeedClient } from "./client.ts";
import { countChanges, readTruth, type Truth } from "./truth.ts";

/** How a run ended. */
export interface Settled {
  readonly truth: Truth;
  /** Clients whose last catch-up did not come to its end, and why. */
  readonly unfinished: readonly string[];
}

const roundsMax = 5;

/**
 * The clients' last catch-up, and the truth. A call that its writer gave up and repeated may still make its change; then
 * the clients, which could not know of it, catch up once more.
 */
export async function settle(
  clients: readonly FeedClient[],
  collections: Pick<Collections, "certificates" | "history">,
  over: AbortSignal,
): Promise<Settled> {
  for (let round = 1; ; round++) {
    const changes = await countChanges(collections);
    const ends = await Promise.allSettled(clients.map((client) => client.catchUp(over)));
    const truth = await readTruth(collections);
    const unfinished = ends.flatMap((end) => (end.status === "rejected" ? [String(end.reason)] : []));
    if (changesIn(truth) === changes || round === roundsMax) return { truth, unfinished };
  }
}

/** How many changes were ever made. */
export function changesIn({ changedAt }: Truth): number {
  return [...changedAt.values()].reduce((sum, times) => sum + times.length, 0);
}
