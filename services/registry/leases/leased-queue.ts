/** A piece of work that a worker has leased. */
export interface WorkClaim {
  readonly id: string;
  /** Different for each claim, so that two workers of one replica exclude each other as well. */
  readonly token: string;
}

/**
 * Work that one worker at a time does. All times of its leases are the database's: replicas' clocks are never compared.
 * Methods that get a claim do nothing, and return false, if its lease has ended or the work has been claimed again.
 */
export interface LeasedQueue<Claim extends WorkClaim = WorkClaim> {
  /** How long a lease lasts after it is claimed or renewed, in milliseconds. */
  readonly lifeMs: number;
  /**
   * Claims the work that has waited longest of the work that is due and not leased. Work whose lease has expired has
   * waited since then.
   *
   * @returns undefined if there is no such work
   */
  claim(): Promise<Claim | undefined>;
  /** Makes the lease last for its whole life again, even if it has expired. */
  renew(claim: WorkClaim): Promise<boolean>;
  /** Ends the lease of work that is done. */
  complete(claim: WorkClaim): Promise<boolean>;
  /** Ends the lease of work that is due again after a time in milliseconds. */
  postpone(claim: WorkClaim, afterMs: number): Promise<boolean>;
  /** Ends the lease of work that was not done: it is due as it was before the claim. */
  release(claim: WorkClaim): Promise<boolean>;
}

/** A task that one replica at a time does, and that is never done. */
export type LeasedTask<Claim extends WorkClaim = WorkClaim> = Omit<LeasedQueue<Claim>, "complete" | "postpone">;

/** Life of the lease on a {@link LeasedTask}, in milliseconds. */
export const taskLeaseMs = 5_000;
