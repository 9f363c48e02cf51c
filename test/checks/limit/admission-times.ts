import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../../../services/registry/mongo/collections.ts";

/**
 * Collects the time of every admission, by the clock of the database. A store's document contains only the admissions
 * of its window, so the collection is polled. Each admission is visible for at least one window; the number of
 * admissions at one millisecond is therefore the maximum that any poll saw.
 */
export class AdmissionTimes {
  readonly #access: Collections["access"];
  readonly #windowMs: number;
  readonly #counts = new Map<string, Map<number, number>>();
  #polledAt = Number.NaN;

  constructor({ access }: Pick<Collections, "access">, windowMs: number) {
    this.#access = access;
    this.#windowMs = windowMs;
  }

  /**
   * Polls until the signal aborts, then once more.
   *
   * @throws Error when the polls were too far apart to see every admission
   */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.poll();
      await systemClock.sleep(this.#windowMs / 8, signal);
    }
    await this.poll();
  }

  /** Reads the current admissions of all stores. */
  async poll(): Promise<void> {
    const now = performance.now();
    // An admission that one poll just missed must still be visible to the next poll.
    if (now - this.#polledAt > this.#windowMs / 2)
      throw new Error("The machine is too slow to observe the admissions: use a longer window or fewer stores.");
    this.#polledAt = now;
    for await (const { _id, admitted } of this.#access.find({}, { projection: { admitted: 1 } })) {
      const known = this.#counts.get(_id) ?? new Map<number, number>();
      this.#counts.set(_id, known);
      for (const [at, times] of Map.groupBy(admitted, (date) => date.getTime()))
        known.set(at, Math.max(times.length, known.get(at) ?? 0));
    }
  }

  /** Returns a store's admission times so far, as Unix timestamps in milliseconds, earliest first. */
  of(storeId: string): number[] {
    const counts = [...(this.#counts.get(storeId) ?? [])].toSorted(([a], [b]) => a - b);
    return counts.flatMap(([at, count]) => Array<number>(count).fill(at));
  }
}
