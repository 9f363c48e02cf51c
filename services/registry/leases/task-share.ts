import type { Clock } from "#shared/time/clock.ts";
import { LeaseAge, renewEveryMs } from "./lease-age.ts";
import type { NumberedClaim, SharedTasks } from "./shared-tasks.ts";

/**
 * Returns how many tasks a replica should hold, so that all replicas together hold each task once and no two differ by
 * more than one task.
 *
 * @param seats the seats of all replicas; the replica's own may be missing
 */
export function fairShare(taskCount: number, seats: readonly number[], ownSeat: number): number {
  const others = new Set(seats.filter((seat) => seat !== ownSeat));
  const rank = [...others].filter((seat) => seat < ownSeat).length;
  const replicaCount = others.size + 1;
  return Math.floor(taskCount / replicaCount) + (rank < taskCount % replicaCount ? 1 : 0);
}

/** Returns all tasks, from another one on for each seat, so that replicas that start together claim different tasks. */
function inOrderOf(seat: number, taskCount: number): number[] {
  // Neighbouring seats begin far apart.
  const first = seat * 7;
  return Array.from({ length: taskCount }, (_, index) => (first + index) % taskCount);
}

/**
 * This replica's share of {@link SharedTasks}: claims a seat and its {@link fairShare} of the tasks, and renews all
 * leases together. The replicas need no agreement on who does which task: each claims any free task while it holds less
 * than its share, and names a surplus while it holds more. The shares depend only on who holds a seat, so that tasks
 * move only when a replica joins or leaves.
 */
export class TaskShare {
  readonly #shared: SharedTasks;
  readonly #clock: Clock;
  /** The age of the oldest lease. */
  readonly #age: LeaseAge;
  #seat: NumberedClaim | undefined;
  readonly #tasks = new Map<number, NumberedClaim>();
  #surplusCount = 0;
  #balancedAt = Number.NEGATIVE_INFINITY;

  /** @param clock a monotonic clock */
  constructor(shared: SharedTasks, clock: Clock) {
    this.#shared = shared;
    this.#clock = clock;
    this.#age = new LeaseAge(shared.lifeMs, clock);
  }

  /** The claims of this replica's tasks, by number. A task that was lost and claimed again has a claim of its own. */
  get tasks(): ReadonlyMap<number, NumberedClaim> {
    return this.#tasks;
  }

  /** The tasks that exceed this replica's share, those that it claimed last: to be released once they are at rest. */
  get surplus(): readonly number[] {
    return this.#surplusCount === 0 ? [] : [...this.#tasks.keys()].slice(-this.#surplusCount);
  }

  /** Whether this replica certainly holds its leases for a while; see {@link LeaseAge.isCertain}. */
  get isCertain(): boolean {
    return this.#age.isCertain;
  }

  /**
   * Renews the leases if that is due, and as often compares the tasks with the share. Afterwards, {@link tasks} are
   * those that no other replica has held since they were claimed.
   */
  async keep(): Promise<void> {
    await this.#renew();
    if (this.#clock.now() - this.#balancedAt < renewEveryMs(this.#shared.lifeMs)) return;
    this.#balancedAt = this.#clock.now();
    await this.#balance();
  }

  /** Releases some tasks, so that another replica need not wait until their leases expire. */
  async release(numbers: readonly number[]): Promise<void> {
    const claims = numbers.flatMap((number) => this.#tasks.get(number) ?? []);
    for (const { number } of claims) this.#tasks.delete(number);
    this.#surplusCount = Math.max(0, this.#surplusCount - claims.length);
    if (claims.length > 0) await this.#shared.release(claims);
  }

  /** Releases the seat and all tasks: this replica no longer takes part. */
  async leave(): Promise<void> {
    const claims = this.#claims();
    this.#seat = undefined;
    this.#tasks.clear();
    this.#surplusCount = 0;
    this.#balancedAt = Number.NEGATIVE_INFINITY;
    if (claims.length > 0) await this.#shared.release(claims);
  }

  #claims(): NumberedClaim[] {
    return [...(this.#seat === undefined ? [] : [this.#seat]), ...this.#tasks.values()];
  }

  async #renew(): Promise<void> {
    const claims = this.#claims();
    if (claims.length === 0 || !this.#age.isRenewalDue) return;
    const held = await this.#age.countFrom(() => this.#shared.renew(claims));
    if (held.size === claims.length) return;
    this.#surplusCount = 0;
    if (this.#seat !== undefined && !held.has(this.#seat)) this.#seat = undefined;
    for (const claim of this.#tasks.values()) if (!held.has(claim)) this.#tasks.delete(claim.number);
  }

  async #balance(): Promise<void> {
    this.#seat ??= await this.#claim(() => this.#shared.claimSeat());
    if (this.#seat === undefined) {
      // More replicas than tasks: the others have a share each.
      this.#surplusCount = this.#tasks.size;
      return;
    }
    const { count } = this.#shared;
    const { seats, tasks } = await this.#shared.leased();
    const missing = fairShare(count, seats, this.#seat.number) - this.#tasks.size;
    this.#surplusCount = Math.max(0, -missing);
    const free = inOrderOf(this.#seat.number, count).filter((task) => !tasks.includes(task) && !this.#tasks.has(task));
    const claims = free.slice(0, Math.max(0, missing)).map((task) => this.#claim(() => this.#shared.claimTask(task)));
    // The claims that succeed are leases of this replica even if others fail.
    const ends = await Promise.allSettled(claims);
    for (const end of ends)
      if (end.status === "fulfilled" && end.value !== undefined) this.#tasks.set(end.value.number, end.value);
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  // A further lease does not make the others younger.
  #claim(claim: () => Promise<NumberedClaim | undefined>): Promise<NumberedClaim | undefined> {
    return this.#claims().length === 0 ? this.#age.countFrom(claim) : claim();
  }
}
