import type { Clock } from "#shared/time/clock.ts";
import type { LeasedTask, WorkClaim } from "./leased-queue.ts";

/**
 * Claims work and renews its lease. The lease's age is measured on a monotonic clock from the start of the request that
 * renewed it, so that this replica regards the lease as expired before the database does.
 */
export class LeaseKeeper<Claim extends WorkClaim = WorkClaim> {
  readonly #task: LeasedTask<Claim>;
  readonly #clock: Clock;
  /** A fifth of the lease's life: the age at which it is renewed, and the margin before it expires. */
  readonly #fifthMs: number;
  #claim: Claim | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  /** @param clock a monotonic clock */
  constructor(task: LeasedTask<Claim>, clock: Clock) {
    this.#task = task;
    this.#clock = clock;
    this.#fifthMs = task.lifeMs / 5;
  }

  /**
   * Whether this replica certainly holds the lease, and will hold it for at least a fifth of its life: work that starts
   * now should finish before another replica can claim it.
   */
  get isCertain(): boolean {
    return this.#ageMs(this.#clock.now()) < this.#task.lifeMs - this.#fifthMs;
  }

  /** Claims work. @returns undefined if there is none, or another replica has leased it */
  async claim(): Promise<Claim | undefined> {
    const requestedAt = this.#clock.now();
    this.#claim = await this.#task.claim();
    this.#renewedAt = this.#claim === undefined ? Number.NEGATIVE_INFINITY : requestedAt;
    return this.#claim;
  }

  /**
   * Renews the lease if it was last renewed a fifth of its life ago.
   *
   * @returns false if the lease is lost, or may be by now: a paused process learns late that it was renewed
   */
  async renew(): Promise<boolean> {
    if (this.#claim === undefined) return false;
    const requestedAt = this.#clock.now();
    if (this.#ageMs(requestedAt) < this.#fifthMs) return true;
    const isRenewed = await this.#task.renew(this.#claim);
    if (isRenewed) this.#renewedAt = requestedAt;
    else this.#lose();
    return isRenewed && this.isCertain;
  }

  /**
   * Renews the lease like {@link renew}; claims it if it is lost. For a task of which there is only one.
   *
   * @returns false if another replica has leased the task
   */
  async keep(): Promise<boolean> {
    return (await this.renew()) || (await this.claim()) !== undefined;
  }

  /** Releases the lease, so that another replica need not wait until it expires. */
  async release(): Promise<void> {
    const claim = this.#claim;
    this.#lose();
    if (claim !== undefined) await this.#task.release(claim);
  }

  #lose(): void {
    this.#claim = undefined;
    this.#renewedAt = Number.NEGATIVE_INFINITY;
  }

  #ageMs(now: number): number {
    return now - this.#renewedAt;
  }
}
