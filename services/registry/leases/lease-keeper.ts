import type { Clock } from "#shared/time/clock.ts";
import { LeaseAge } from "./lease-age.ts";
import type { LeasedTask, WorkClaim } from "./leased-queue.ts";

/** Claims work and renews its lease. */
export class LeaseKeeper<Claim extends WorkClaim = WorkClaim> {
  readonly #task: LeasedTask<Claim>;
  readonly #age: LeaseAge;
  #claim: Claim | undefined;

  /** @param clock a monotonic clock */
  constructor(task: LeasedTask<Claim>, clock: Clock) {
    this.#task = task;
    this.#age = new LeaseAge(task.lifeMs, clock);
  }

  /** Whether this replica certainly holds the lease for a while; see {@link LeaseAge.isCertain}. */
  get isCertain(): boolean {
    return this.#claim !== undefined && this.#age.isCertain;
  }

  /** Claims work. @returns undefined if there is none, or another replica has leased it */
  async claim(): Promise<Claim | undefined> {
    this.#claim = await this.#age.countFrom(() => this.#task.claim());
    return this.#claim;
  }

  /**
   * Renews the lease if that is due.
   *
   * @returns false if the lease is lost, or may be by now: a paused process learns late that it was renewed
   */
  async renew(): Promise<boolean> {
    const claim = this.#claim;
    if (claim === undefined) return false;
    if (!this.#age.isRenewalDue) return true;
    const isRenewed = await this.#age.countFrom(() => this.#task.renew(claim));
    if (!isRenewed) this.#claim = undefined;
    return this.isCertain;
  }

  /**
   * Renews the lease like {@link renew}; claims it if it is lost. For a task of which there is only one.
   *
   * @returns false if another replica has leased the task, or this one learnt too late that it was renewed
   */
  async keep(): Promise<boolean> {
    if (await this.renew()) return true;
    // A lease of which it learnt late is still this replica's: the next call renews it.
    return this.#claim === undefined && (await this.claim()) !== undefined;
  }

  /** Releases the lease, so that another replica need not wait until it expires. */
  async release(): Promise<void> {
    const claim = this.#claim;
    this.#claim = undefined;
    if (claim !== undefined) await this.#task.release(claim);
  }
}
