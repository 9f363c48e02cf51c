import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../../../services/registry/mongo/documents/collections.ts";
import { admissionTimesOf } from "../../harness/admitted-requests.ts";

/**
 * Collects the time of every admission, by the clock of the database. A store's document contains only the admissions
 * of its window, so the collection is polled. Each admission is visible for at least one window; the number of
 * admissions at one millisecond is therefore the maximum that any poll saw.
 */
export class AdmissionTimes {
  readonly #access: Collections["access"];
  readonly #windowMs: number;
  readonly #counts = new Map<string, Map<number, number>>();
  /**
   * Unix timestamp in milliseconds after which admissions may be missing, because two polls were too far apart.
   * Undefined if no admission is missing so far.
   */
  knownUntil: number | undefined;
  #polledAt: { readonly steady: number; readonly wall: number } | undefined;

  constructor({ access }: Pick<Collections, "access">, windowMs: number) {
    this.#access = access;
    this.#windowMs = windowMs;
  }

  /**
   * Polls until the signal aborts, then once more. Ends early when two polls were too far apart to see all admissions.
   */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.knownUntil === undefined) {
      await this.poll();
      await systemClock.sleep(this.#windowMs / 8, signal);
    }
    await this.poll();
  }

  /** Reads the current admissions of all stores. Does nothing once `knownUntil` is set. */
  async poll(): Promise<void> {
    if (this.knownUntil !== undefined) return;
    const before = this.#polledAt;
    const startedAt = { steady: performance.now(), wall: Date.now() };
    for await (const { _id, admitted } of this.#access.find({}, { projection: { admitted: 1 } })) {
      const known = this.#counts.get(_id) ?? new Map<number, number>();
      this.#counts.set(_id, known);
      for (const [at, times] of Map.groupBy(admissionTimesOf(admitted), (time) => time))
        known.set(at, Math.max(times.length, known.get(at) ?? 0));
    }
    // An admission that the previous poll just missed must still have been visible at the end of this poll.
    if (before !== undefined && performance.now() - before.steady > this.#windowMs) this.knownUntil = before.wall;
    this.#polledAt = startedAt;
  }

  /** Returns a store's admission times so far, as Unix timestamps in milliseconds, earliest first. */
  of(storeId: string): number[] {
    const counts = [...(this.#counts.get(storeId) ?? [])].toSorted(([a], [b]) => a - b);
    return counts.flatMap(([at, count]) => Array<number>(count).fill(at));
  }
}
