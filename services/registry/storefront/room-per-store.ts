import { LRUCache } from "lru-cache";
import { type Clock, steadyClock } from "#shared/time/clock.ts";

const countedMs = 60_000;
const storesMax = 10_000;

/** The bound on what a store may have. */
export interface StoreBound {
  readonly countMax: number;
  /** Monotonic clock. Default: the process's. */
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Returns a function that decides whether a store may have one more of something, and counts it if so. It counts the
 * stored ones at most once a minute, because a flood must cost little. Replicas, and calls at the same time, may
 * together exceed the bound by what the others add in this minute.
 *
 * @param countStored returns the number of those stored, counted up to `countMax`
 */
export function roomPerStore(
  countStored: (storeId: string, countMax: number) => Promise<number>,
  { countMax, clock = steadyClock }: StoreBound,
): (storeId: string) => Promise<boolean> {
  const ttl = { ttl: countedMs, ttlResolution: 0, noUpdateTTL: true, perf: clock };
  const counts = new LRUCache<string, number>({ max: storesMax, ...ttl });
  return async (storeId) => {
    const known = counts.get(storeId) ?? (await countStored(storeId, countMax));
    const hasRoom = known < countMax;
    counts.set(storeId, hasRoom ? known + 1 : known);
    return hasRoom;
  };
}
