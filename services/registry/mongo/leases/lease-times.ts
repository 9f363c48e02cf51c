import type { Document } from "mongodb";
import { addMs, type DatabaseTime, toDate, toMs } from "../driver/database-time.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";

/**
 * How far a stored time can be ahead of `$$NOW` although no clock was set back: an operation that began later can
 * finish earlier, by at most the time limit of an operation. After a longer attempt, its caller could not rely on the
 * lease.
 */
export const acquireTimeLimitMs = operationTimeLimitMs;

/**
 * Expressions for the times of leases, on the database's clock. A lease that ends later than a lease acquired now could
 * end means that this clock was set back. Its end is then moved to the latest end that is possible now, so that no
 * set-back makes a lease last until the clock has caught up; its holder may still rely on it until then.
 */
export class LeaseTimes {
  readonly #lifeMs: number;
  readonly #databaseTime: DatabaseTime;

  /** @param lifeMs how long a lease lasts after it is acquired or renewed, in milliseconds */
  constructor(lifeMs: number, databaseTime: DatabaseTime) {
    this.#lifeMs = lifeMs;
    this.#databaseTime = databaseTime;
  }

  /** The end of a lease that is acquired or renewed now. */
  end(): Document {
    return toDate(addMs(this.#databaseTime(), this.#lifeMs));
  }

  /** The latest end that a lease can have now. */
  latestEnd(): Document {
    return toDate(addMs(this.#databaseTime(), this.#lifeMs + acquireTimeLimitMs));
  }

  /** The time in milliseconds until a lease ends: 0 or less once it has ended, null if its end is missing. */
  leftMs(end: `$${string}`): Document {
    return { $subtract: [toMs(end), toMs(this.#databaseTime())] };
  }

  /** Whether a lease with this time left shows that the clock was set back. */
  isTooLong(leftMs: number): boolean {
    return leftMs > this.#lifeMs + acquireTimeLimitMs;
  }
}
