/**
 * Detects replicas that have stopped: replicas whose heartbeat, a counter, has not changed in {@link missedMax}
 * successive observations. Compares no clocks, so neither a clock that is set back nor a pause of this process makes a
 * running replica appear stopped; the caller must leave at least one heartbeat interval between two observations.
 */
export class ReplicaWatch {
  #seen: ReadonlyMap<string, { readonly beat: number; readonly missed: number }> = new Map();

  /** Records the replicas' current heartbeats. @returns the replicas that have stopped */
  observe(beats: ReadonlyMap<string, number>): string[] {
    const seen = Array.from(beats, ([replica, beat]) => {
      const before = this.#seen.get(replica);
      return [replica, { beat, missed: before?.beat === beat ? before.missed + 1 : 0 }] as const;
    });
    this.#seen = new Map(seen);
    return seen.flatMap(([replica, { missed }]) => (missed >= missedMax ? [replica] : []));
  }
}

/** Number of successive observations without a new heartbeat after which a replica counts as stopped. */
export const missedMax = 3;
