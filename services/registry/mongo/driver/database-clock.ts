import type { Clock } from "#shared/time/clock.ts";
import { dayMs } from "#shared/time/day.ts";

/**
 * How late a replica's knowledge of the database's time can be, in milliseconds: one heartbeat that takes as long as it
 * may. A time further ahead than anything can be, and than this, shows that the database's clock was set back.
 */
export const knowledgeLateMaxMs = 10_000;

/**
 * Selects times of the last 24 hours, for limits per day. Without times in the future, which the database's clock
 * showed before it was set back: they would count until it has caught up.
 *
 * @param clock the database's clock
 */
export function lastDay(clock: Pick<Clock, "now">) {
  const nowMs = clock.now();
  return { $gt: new Date(nowMs - dayMs), $lt: new Date(nowMs + knowledgeLateMaxMs) };
}

/**
 * The database's clock as this replica knows it, for times that replicas compare, such as when work is due. Each
 * heartbeat returns the database's time; in between, a monotonic clock counts on. It differs from the database's time
 * by at most the round trip of a heartbeat, and follows a jump of either clock at the next heartbeat.
 */
export class DatabaseClock implements Clock {
  readonly #steadyClock: Clock;
  #offsetMs: number | undefined;

  /** @param steadyClock a monotonic clock */
  constructor(steadyClock: Clock) {
    this.#steadyClock = steadyClock;
  }

  /** @throws Error before the first call of {@link observe} */
  now(): number {
    if (this.#offsetMs === undefined) throw new Error("the database's time is unknown before the first heartbeat");
    return Math.floor(this.#steadyClock.now() + this.#offsetMs);
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return this.#steadyClock.sleep(durationMs, signal);
  }

  /** Calls the database, and learns its time from the result. @returns the result */
  async observe<Result extends { readonly at: Date }>(call: () => Promise<Result>): Promise<Result> {
    const calledAt = this.#steadyClock.now();
    const result = await call();
    const atMs = result.at.getTime();
    // The database read its clock at some moment of the call. The offset changes only if it contradicts that, so that
    // the clock does not jump back and forth with the duration of the calls.
    const [least, most] = [atMs - this.#steadyClock.now(), atMs - calledAt];
    this.#offsetMs = Math.min(most, Math.max(least, this.#offsetMs ?? least));
    return result;
  }
}
