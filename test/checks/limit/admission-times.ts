import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../../../services/registry/mongo/collections.ts";

/**
 * Learns when each request was admitted, by the database's own clock. A store's document holds the times of its window
 * only, so it is looked at again and again. Each time is there for at least one window, so of what was seen together at one
 * look nothing is counted twice: of each millisecond, the most admissions that one look showed.
 */
export class AdmissionTimes {
  readonly #access: Collections["access"];
  readonly #windowMs: number;
  readonly #counts = new Map<string, Map<number, number>>();
  #lookedAt = Number.NaN;

  constructor({ access }: Pick<Collections, "access">, windowMs: number) {
    this.#access = access;
    this.#windowMs = windowMs;
  }

  /** Looks until the signal aborts, and then once more. @throws Error when it looked too seldom to have seen everything */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look();
      await systemClock.sleep(this.#windowMs / 8, signal);
    }
    await this.look();
  }

  /** Looks once. */
  async look(): Promise<void> {
    const now = performance.now();
    // An admission that a look just missed must still be there at the next one.
    if (now - this.#lookedAt > this.#windowMs / 2)
      throw new Error(
        "The machine is too slow to follow the admissions: use a longer window, or fewer stores.",
      );
    this.#lookedAt = now;
    for await (const { _id, admitted } of this.#access.find({}, { projection: { admitted: 1 } })) {
      const known = this.#counts.get(_id) ?? new Map<number, number>();
      this.#counts.set(_id, known);
      for (const [at, times] of Map.groupBy(admitted, (date) => date.getTime()))
        known.set(at, Math.max(times.length, known.get(at) ?? 0));
    }
  }

  /** A store's admission times so far, earliest first, in milliseconds since 1970. */
  of(storeId: string): number[] {
    const counts = [...(this.#counts.get(storeId) ?? [])].toSorted(([a], [b]) => a - b);
    return counts.flatMap(([at, count]) => Array<number>(count).fill(at));
  }
}
