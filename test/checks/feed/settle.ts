import { sum } from "../../harness/statistics.ts";
import { StallWatch } from "../runner/stall-watch.ts";
import type { ExpectedState } from "./expected-state.ts";
import type { FeedClient } from "./feed-client.ts";

/** Reads the database directly, not through an edge. */
interface DatabaseReader {
  countChanges(): Promise<number>;
  readExpectedState(): Promise<ExpectedState>;
}

const roundsMax = 5;
const stallLimitMs = 120_000;

/**
 * Lets all clients catch up, then reads the expected state. Starts another round, up to five in total, when a change
 * was committed during the round: a call that its writer abandoned and retried may still commit. When changes were
 * committed in every round, no client counts as caught up. The clients give up when no client has received a page for
 * two minutes.
 */
export async function settle(clients: readonly FeedClient[], { countChanges, readExpectedState }: DatabaseReader) {
  const progress = () => sum(clients.map(({ pagesReceived }) => pagesReceived));
  using stall = new StallWatch({ progress, limitMs: stallLimitMs });
  for (let round = 1; ; round++) {
    const changes = await countChanges();
    const ends = await Promise.allSettled(clients.map((client) => client.catchUp(stall.signal)));
    const expected = await readExpectedState();
    const unfinished = ends.flatMap((end) => (end.status === "rejected" ? [String(end.reason)] : []));
    if (changesIn(expected) === changes) return { expected, unfinished, isQuiet: true };
    if (round === roundsMax) {
      // The expected state may contain changes that were committed after the clients had caught up.
      for (const client of clients) client.isCaughtUp = false;
      return { expected, unfinished, isQuiet: false };
    }
  }
}

/** Returns the number of changes in all stores. */
export function changesIn({ changedAt }: ExpectedState): number {
  return sum(Array.from(changedAt.values(), ({ length }) => length));
}
