import { randomUUID } from "node:crypto";
import { LeasedAttempts } from "#shared/lifecycle/leased-attempts.ts";
import { Loop } from "#shared/lifecycle/loop.ts";
import { Places } from "#shared/limits/places.ts";
import type { Clock } from "#shared/time/clock.ts";
import { renewEveryMs } from "../leases/lease-age.ts";
import type { LeasedQueue, WorkClaim } from "../leases/leased-queue.ts";
import { workLeaseMs } from "./storefront-storage.ts";
import { type WorkOnBatchDeps, workOnBatch } from "./work-on-batch.ts";

/** A store, by its id, that a worker has claimed. */
export interface StoreClaim extends WorkClaim {
  /** How many workers died or froze while they worked for the store, one after the other. */
  readonly abandonedCount: number;
}

interface StorefrontWorkerDeps extends Omit<WorkOnBatchDeps, "workerId" | "suspects" | "stopping"> {
  /** The stores with work. */
  readonly work: Pick<LeasedQueue<StoreClaim>, "claim" | "renew" | "complete">;
  /** Monotonic clock. */
  readonly steadyClock: Clock;
}

// Maximum number of stores that one replica serves at a time.
const storesMax = 4;
// A worker releases a store after this time, so that other stores get a turn.
const turnMs = 5_000;
// A message that arrives at this replica is processed at once. Messages that arrive at other replicas are found at this
// interval.
const pollMs = 500;
// Pause after an error, for example while the database is unavailable; the store stays claimed.
const retryPauseMs = 2_000;
const renewMs = renewEveryMs(workLeaseMs);
// Work that is not done after this time, which is more than the turns of all stores together, hangs: the lease is left
// to expire, so that another replica tries.
const renewedMaxMs = 60_000;

/**
 * Processes stored messages: merges them into orders, brings each order's certificates in line with its record, and
 * erases customers. Every replica runs one worker, which works for up to four stores at a time. A lease per store
 * normally prevents concurrent work for a store; it is renewed, so that a slow worker does not count as dead, but not
 * checked, because every step is safe without it. A stopping worker finishes the steps in progress, and leaves the
 * remaining work to other replicas.
 */
export function createStorefrontWorker(workerDeps: StorefrontWorkerDeps): LeasedAttempts<StoreClaim> {
  const suspects = new Places({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax: storesMax });
  const deps = { ...workerDeps, workerId: randomUUID(), suspects };
  const { work, steadyClock, logger } = deps;
  const warn = (err: unknown) => logger.warn({ err }, "cannot process storefront messages and orders; retrying");
  return new LeasedAttempts({
    claim: async () => {
      const claim = await work.claim();
      return claim === undefined ? [] : [claim];
    },
    attempt: async (claim, stopping) => {
      const renewal = renewalOf(claim, deps);
      renewal.start();
      try {
        const ending = AbortSignal.any([stopping, AbortSignal.timeout(turnMs)]);
        const isSuspect = claim.abandonedCount > 0;
        while (!ending.aborted) if (!(await workOnBatch({ ...deps, stopping }, claim.id, ending, isSuspect))) break;
      } catch (error) {
        warn(error);
        await steadyClock.sleep(retryPauseMs, stopping);
      }
      await renewal.stop();
      await work.complete(claim).catch(warn);
    },
    onFailure: warn,
    concurrencyMax: storesMax,
    pollMs,
    clock: steadyClock,
  });
}

/**
 * Keeps a claim whose worker is slow, or waits for its turn with what may have killed a worker. By a timer instead of a
 * LeaseKeeper, because the work has no step at which it asks for its lease.
 */
function renewalOf(claim: StoreClaim, { work, steadyClock: clock, logger }: StorefrontWorkerDeps): Loop {
  const claimedAt = clock.now();
  const step = async () => {
    const isKept = clock.now() - claimedAt < renewedMaxMs && (await work.renew(claim));
    return isKept ? renewMs : Number.POSITIVE_INFINITY;
  };
  const onFailure = (error: unknown) =>
    logger.warn({ err: error, storeId: claim.id }, "cannot renew the claim of a store's work; retrying");
  return new Loop({ clock, step, onFailure, firstPauseMs: renewMs });
}
