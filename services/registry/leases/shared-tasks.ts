import type { WorkClaim } from "./leased-queue.ts";

/** A claim of one of several numbered tasks, or of a numbered seat. */
export interface NumberedClaim extends WorkClaim {
  /** From 0 to the number of tasks minus 1. */
  readonly number: number;
}

/** The leases at one time. */
interface SharedLeases {
  /** Numbers of the leased seats. */
  readonly seats: readonly number[];
  /** Numbers of the leased tasks. */
  readonly tasks: readonly number[];
}

/**
 * Tasks that are never done and that the replicas divide among themselves: one replica at a time does a task. A replica
 * that can do tasks holds a seat, by which the others know that it takes part. Seats and tasks have leases of the same
 * kind: a killed replica loses both at once.
 */
export interface SharedTasks {
  /** How long a lease lasts after it is claimed or renewed, in milliseconds. */
  readonly lifeMs: number;
  /** Number of tasks, and of seats. */
  readonly count: number;
  /** Claims a free seat. @returns undefined if there is none */
  claimSeat(): Promise<NumberedClaim | undefined>;
  /** Claims a task. @returns undefined if another replica has leased it */
  claimTask(number: number): Promise<NumberedClaim | undefined>;
  /**
   * Renews several leases with one command, even if they have expired.
   *
   * @returns the claims whose seats and tasks no other replica has claimed since
   */
  renew(claims: readonly NumberedClaim[]): Promise<ReadonlySet<NumberedClaim>>;
  release(claims: readonly NumberedClaim[]): Promise<void>;
  leased(): Promise<SharedLeases>;
}
