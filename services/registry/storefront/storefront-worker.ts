import { Loop } from "#shared/lifecycle/loop.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { LeasedQueue, WorkClaim } from "../leases/leased-queue.ts";
import { type WorkOnBatchDeps, workOnBatch } from "./work-on-batch.ts";

interface StorefrontWorkerDeps extends WorkOnBatchDeps {
  /** The stores with work; a claim has the store's id. */
  readonly work: Pick<LeasedQueue, "claim" | "complete">;
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

/**
 * Processes stored messages: merges them into orders, brings each order's certificates in line with its record, and
 * erases customers. Every replica runs one StorefrontWorker, which works for up to four stores at a time. A lease per
 * store normally prevents concurrent work for a store; it is neither renewed nor checked, because every step is safe
 * without it.
 */
export class StorefrontWorker {
  readonly #deps: StorefrontWorkerDeps;
  readonly #loops: readonly Loop[];

  constructor(deps: StorefrontWorkerDeps) {
    this.#deps = deps;
    const { steadyClock, logger } = deps;
    const step = (stopping: AbortSignal) => this.#step(stopping);
    const onFailure = (error: unknown) =>
      logger.warn({ err: error }, "cannot process storefront messages and orders; retrying");
    this.#loops = Array.from({ length: storesMax }, () => new Loop({ clock: steadyClock, step, onFailure }));
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

  async #step(stopping: AbortSignal): Promise<number> {
    const claim = await this.#deps.work.claim();
    if (claim === undefined) return pollMs;
    await this.#workFor(claim, stopping);
    return 0;
  }

  async #workFor(claim: WorkClaim, stopping: AbortSignal): Promise<void> {
    const { work } = this.#deps;
    try {
      const ending = AbortSignal.any([stopping, AbortSignal.timeout(turnMs)]);
      while (!ending.aborted) if (!(await workOnBatch(this.#deps, claim.id, ending))) break;
    } finally {
      await work.complete(claim);
    }
  }
}
