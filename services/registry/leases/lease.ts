/**
 * A lease on a task that one replica at a time does. All times of leases are the database's: the replicas' clocks are
 * never compared.
 */
export interface Lease {
  /** Acquires the lease or renews it for {@link leaseTtlMs}. @returns whether this replica holds it now */
  acquire(): Promise<boolean>;
  /** Releases the lease if this replica holds it. */
  release(): Promise<void>;
}

/** Lifetime of a {@link Lease} in milliseconds, counted from its last renewal. */
export const leaseTtlMs = 5_000;
