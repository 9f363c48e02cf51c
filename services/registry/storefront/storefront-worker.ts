import { ServiceError } from "#shared/errors/service-error.ts";
import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { applyMessages } from "./apply-messages.ts";
import { type EraseCustomersDeps, eraseCustomers } from "./erase-customers.ts";
import { failedAttempt } from "./failed-attempt.ts";
import { type ReconcileOrdersDeps, reconcileOrders } from "./reconcile-orders.ts";
import { publishStorefrontStep } from "./storefront-steps.ts";
import type {
  FailedAttempt,
  StorefrontInbox,
  StorefrontOrders,
  StorefrontProducts,
  Storefronts,
  WaitingMessage,
  WorkClaim,
  WorkQueue,
} from "./storefront-storage.ts";
import { underLease } from "./work-lease.ts";

/** Dependencies of {@link StorefrontWorker}. */
export interface StorefrontWorkerDeps extends EraseCustomersDeps, Pick<ReconcileOrdersDeps, "queue" | "onReconciled"> {
  readonly work: WorkQueue;
  readonly inbox: StorefrontInbox;
  readonly orders: StorefrontOrders;
  readonly products: StorefrontProducts;
  readonly storefronts: Storefronts;
  /** Wall clock. */
  readonly clock: Clock;
  /** Monotonic clock. */
  readonly steadyClock: Clock;
  readonly logger: Logger;
  /** Called for each failed attempt. */
  readonly onFailed: (kind: "retried" | "final") => void;
}

const messagesPerBatch = 200;
const ordersPerBatch = 50;
// Maximum number of stores that one replica serves at a time.
const storesMax = 4;
// A worker releases a store after this time, so that other stores get a turn.
const turnMs = 5_000;
// A message that arrives at this replica is processed at once. Messages that arrive at other replicas are found at this
// interval.
const pollMs = 500;
// Pause before repeating an erasure that waits for messages in flight. They are usually settled by then, unless a
// receiver is slow or a sender has died.
const erasurePauseMs = 5_000;

/**
 * Processes stored messages: merges them into orders, brings each order's certificates in line with its record, and
 * erases customers. Every replica runs one StorefrontWorker, which works for up to four stores at a time. A lease per
 * store normally prevents concurrent work for a store, but every step is safe without the lease.
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
    const { work, steadyClock } = this.#deps;
    publishStorefrontStep("store_claimed");
    const startedAt = steadyClock.now();
    try {
      await underLease(this.#deps, claim, async (lost) => {
        const ending = AbortSignal.any([lost, stopping]);
        // Once per claim: rules that change during the work make the store due again.
        await this.#touchOrders(claim.storeId);
        while (!ending.aborted && steadyClock.now() - startedAt < turnMs)
          if (!(await this.#workOnBatch(claim.storeId, ending))) break;
      });
    } finally {
      await work.release(claim);
    }
  }

  /**
   * Processes a bounded number of messages and orders, and then at most one message about customers. An erasure can
   * take long: orders that become due meanwhile wait for this erasure only, and the turn can end after it.
   *
   * @param ending ends the work between two steps; the remaining messages and orders stay due
   * @returns whether there may be more work
   */
  async #workOnBatch(storeId: string, ending: AbortSignal): Promise<boolean> {
    const { inbox, orders } = this.#deps;
    const messages = await inbox.takeDue(storeId, "orders", messagesPerBatch);
    if (messages.length > 0) await this.#apply(storeId, messages);
    const due = ending.aborted ? [] : await orders.takeDue(storeId, ordersPerBatch);
    const now = () => new Date(this.#deps.clock.now());
    if (due.length > 0)
      for (const { order, error } of await reconcileOrders({ ...this.#deps, now, ending }, storeId, due))
        await orders.fail(storeId, order, this.#failedAttempt(order.attempts, error));
    const [erasure] = ending.aborted ? [] : await inbox.takeDue(storeId, "customers", 1);
    if (erasure !== undefined) await this.#erase(storeId, erasure, ending);
    return messages.length + due.length > 0 || erasure !== undefined;
  }

  /** Marks orders as due if a change of the rules may affect them. */
  async #touchOrders(storeId: string): Promise<void> {
    const { storefronts, orders } = this.#deps;
    const { touchSince, rulesVersion } = await storefronts.find(storeId);
    if (touchSince === undefined) return;
    await orders.touchSince(storeId, touchSince);
    await storefronts.noteTouched(storeId, rulesVersion);
  }

  async #apply(storeId: string, messages: readonly WaitingMessage[]): Promise<void> {
    try {
      await applyMessages(this.#deps, storeId, messages);
    } catch (error) {
      if (isOutage(error)) throw error;
      const [first, ...more] = messages;
      if (first === undefined) return;
      if (more.length === 0)
        return this.#deps.inbox.fail(storeId, first.id, this.#failedAttempt(first.attempts, error));
      // One by one, so that a message that fails does not block the others.
      for (const message of messages) await this.#apply(storeId, [message]);
    }
  }

  async #erase(storeId: string, message: WaitingMessage, ending: AbortSignal): Promise<void> {
    const { inbox, clock } = this.#deps;
    try {
      const result = await eraseCustomers(this.#deps, storeId, message, ending);
      if (result === "done") await inbox.settle(storeId, [message.id]);
      if (result === "waiting") await inbox.postpone(storeId, message.id, new Date(clock.now() + erasurePauseMs));
    } catch (error) {
      await inbox.fail(storeId, message.id, this.#failedAttempt(message.attempts, error));
    }
  }

  #failedAttempt(attemptsBefore: number, error: unknown): FailedAttempt {
    const { logger, clock, onFailed } = this.#deps;
    const attempt = failedAttempt(error, attemptsBefore, clock.now());
    onFailed(attempt.retryAt === undefined ? "final" : "retried");
    const line = { err: error, attempts: attempt.attempts, retryAt: attempt.retryAt };
    if (isOutage(error)) logger.warn(line, "storefront work postponed");
    else logger.error(line, "storefront work failed");
    return attempt;
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "unavailable";
}
