import { randomUUID } from "node:crypto";
import { Loop } from "#shared/lifecycle/loop.ts";
import { Places } from "#shared/limits/places.ts";
import type { Clock } from "#shared/time/clock.ts";
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
// interval, by one loop that has nothing to do.
const pollMs = 500;
const renewMs = workLeaseMs / 5;
// Work that is not done after this time, which is more than the turns of all stores together, hangs: the lease is left
// to expire, so that another replica tries.
const renewedMaxMs = 60_000;

/**
 * Processes stored messages: merges them into orders, brings each order's certificates in line with its record, and
 * erases customers. Every replica runs one StorefrontWorker, which works for up to four stores at a time. A lease per
 * store normally prevents concurrent work for a store; it is renewed, so that a slow worker does not count as dead, but
 * not checked, because every step is safe without it.
 */
export class StorefrontWorker {
  readonly #deps: StorefrontWorkerDeps & Pick<WorkOnBatchDeps, "workerId" | "suspects">;
  readonly #loops: readonly Loop[];
  /** The loop that polls; undefined while all loops have work. */
  #poller: number | undefined;

  constructor(deps: StorefrontWorkerDeps) {
    const suspects = new Places({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax: storesMax });
    this.#deps = { ...deps, workerId: randomUUID(), suspects };
    const { steadyClock, logger } = deps;
    const onFailure = (error: unknown) =>
      logger.warn({ err: error }, "cannot process storefront messages and orders; retrying");
    const loop = (_: unknown, index: number) =>
      new Loop({ clock: steadyClock, step: (stopping) => this.#step(index, stopping), onFailure });
    this.#loops = Array.from({ length: storesMax }, loop);
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  /** Ends the pause between polls. */
  wake(): void {
    for (const loop of this.#loops) loop.wake();
  }

  /** Finishes the steps in progress, and leaves the remaining work to other replicas. */
  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  async #step(loop: number, stopping: AbortSignal): Promise<number> {
    const claim = await this.#deps.work.claim();
    if (claim === undefined) {
      this.#poller ??= loop;
      return this.#poller === loop ? pollMs : Number.POSITIVE_INFINITY;
    }
    if (this.#poller === loop) {
      // Another loop takes over, and looks for further work now.
      this.#poller = undefined;
      this.wake();
    }
    await this.#workFor(claim, stopping);
    return 0;
  }

  async #workFor(claim: StoreClaim, stopping: AbortSignal): Promise<void> {
    const { work } = this.#deps;
    const renewal = this.#renewalOf(claim);
    renewal.start();
    try {
      const ending = AbortSignal.any([stopping, AbortSignal.timeout(turnMs)]);
      const isSuspect = claim.abandonedCount > 0;
      const deps = { ...this.#deps, stopping };
      while (!ending.aborted) if (!(await workOnBatch(deps, claim.id, ending, isSuspect))) break;
    } finally {
      await renewal.stop();
      await work.complete(claim);
    }
  }

  /** Keeps a claim whose worker is slow, or waits for its turn with what may have killed a worker. */
  #renewalOf(claim: StoreClaim): Loop {
    const { work, steadyClock: clock, logger } = this.#deps;
    const claimedAt = clock.now();
    const step = async () => {
      const isKept = clock.now() - claimedAt < renewedMaxMs && (await work.renew(claim));
      return isKept ? renewMs : Number.POSITIVE_INFINITY;
    };
    const onFailure = (error: unknown) =>
      logger.warn({ err: error, storeId: claim.id }, "cannot renew the claim of a store's work; retrying");
    return new Loop({ clock, step, onFailure, firstPauseMs: renewMs });
  }
}
