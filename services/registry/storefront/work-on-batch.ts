import { ServiceError } from "#shared/errors/service-error.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { reason } from "#shared/reasons/reason.ts";
import { backOffMs } from "#shared/retry/back-off.ts";
import type { Clock } from "#shared/time/clock.ts";
import { applyMessages } from "./apply-messages.ts";
import { type EraseCustomersDeps, eraseCustomers } from "./erase-customers.ts";
import { type ReconcileOrdersDeps, reconcileOrders } from "./reconcile-orders.ts";
import {
  type FailedAttempt,
  postponedMaxMs,
  type Storefront,
  type StorefrontInbox,
  type StorefrontOrders,
  type StorefrontProducts,
  type Storefronts,
  type WaitingMessage,
} from "./storefront-storage.ts";

export interface WorkOnBatchDeps extends EraseCustomersDeps, Pick<ReconcileOrdersDeps, "queue" | "onReconciled"> {
  readonly inbox: StorefrontInbox;
  readonly orders: StorefrontOrders;
  readonly products: StorefrontProducts;
  readonly storefronts: Storefronts;
  /** The database's clock. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each failed attempt. */
  readonly onFailed: (kind: "retried" | "final") => void;
}

const messagesPerBatch = 200;
const ordersPerBatch = 50;
// Pause before repeating an erasure that waits for messages in flight. They are usually settled by then, unless a
// receiver is slow or a sender has died.
const erasurePauseMs = 5_000;

/**
 * Processes a bounded number of messages and orders, and then at most one message about customers. An erasure can take
 * long: orders that become due meanwhile wait for this erasure only, and the turn can end after it.
 *
 * Safe without exclusion: several replicas can work for one store at the same time, and a replica can be frozen at any
 * point, because each write checks the version of what it is based on.
 *
 * @param ending ends an order or an erasure between two steps; it stays due
 * @returns whether there may be more work
 */
export async function workOnBatch(deps: WorkOnBatchDeps, storeId: string, ending: AbortSignal): Promise<boolean> {
  const { inbox, orders, storefronts, clock } = deps;
  // Read before the messages, so that a message that an erasure has rewritten by then is taken as rewritten.
  const store = await storefronts.find(storeId);
  // Before the messages, because those about products record more to touch: that of one batch at most, of which the
  // next batch makes the orders due.
  await touchOrders(deps, storeId, store);
  const messages = await inbox.takeDue(storeId, "orders", messagesPerBatch);
  // Certificates must not be issued to a person who has just been erased.
  if (messages.length > 0 && !(await apply(deps, storeId, messages))) return true;
  const due = await orders.takeDue(storeId, ordersPerBatch);
  const now = () => new Date(clock.now());
  if (due.length > 0)
    for (const { order, error } of await reconcileOrders({ ...deps, now }, storeId, due, store, ending))
      await orders.fail(storeId, order, attemptAfter(deps, order.attempts, error));
  const [erasure] = await inbox.takeDue(storeId, "customers", 1);
  if (erasure !== undefined) await erase(deps, storeId, erasure, ending);
  return messages.length + due.length > 0 || erasure !== undefined;
}

/**
 * Makes the orders due that changed rules, tags or editions may affect. The transaction of such a change only records
 * it, because the orders can be too many for a transaction; this pass is repeated until one completes.
 */
async function touchOrders(
  { storefronts, orders }: Pick<WorkOnBatchDeps, "storefronts" | "orders">,
  storeId: string,
  { rulesVersion, touch }: Pick<Storefront, "rulesVersion" | "touch">,
): Promise<void> {
  if (touch === undefined) return;
  if (touch.since !== undefined) await orders.touchSince(storeId, touch.since);
  if (touch.waitsFor.length > 0) await orders.touchWaiting(storeId, touch.waitsFor);
  await storefronts.noteTouched(storeId, { rulesVersion, touch });
}

/** @returns as {@link applyMessages} */
async function apply(deps: WorkOnBatchDeps, storeId: string, messages: readonly WaitingMessage[]): Promise<boolean> {
  try {
    return await applyMessages(deps, storeId, messages);
  } catch (error) {
    if (isOutage(error)) throw error;
    const [first, ...more] = messages;
    if (first === undefined) return true;
    if (more.length === 0) {
      await deps.inbox.fail(storeId, first.id, attemptAfter(deps, first.attempts, error));
      return true;
    }
    // One by one, so that a message that fails does not block the others.
    let areApplied = true;
    for (const message of messages) areApplied = (await apply(deps, storeId, [message])) && areApplied;
    return areApplied;
  }
}

async function erase(
  deps: WorkOnBatchDeps,
  storeId: string,
  message: WaitingMessage,
  ending: AbortSignal,
): Promise<void> {
  const { inbox, clock } = deps;
  try {
    const result = await eraseCustomers(deps, storeId, message, ending);
    if (result === "done") await inbox.settle(storeId, [message]);
    if (result === "waiting") await inbox.postpone(storeId, message.id, new Date(clock.now() + erasurePauseMs));
  } catch (error) {
    await inbox.fail(storeId, message.id, attemptAfter(deps, message.attempts, error));
  }
}

function attemptAfter(
  { logger, clock, onFailed }: WorkOnBatchDeps,
  attemptsBefore: number,
  error: unknown,
): FailedAttempt {
  const attempt = failedAttempt(error, attemptsBefore, clock.now());
  onFailed(attempt.retryAt === undefined ? "final" : "retried");
  const line = { err: error, attempts: attempt.attempts, retryAt: attempt.retryAt };
  if (isOutage(error)) logger.warn(line, "storefront work postponed");
  else logger.error(line, "storefront work failed");
  return attempt;
}

function isOutage(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "unavailable";
}

const attemptsMax = 6;
const firstRetryMs = 1_000;

/**
 * Decides whether and when to retry after a failed attempt. Retries use exponential backoff and end after six failed
 * attempts that count. An attempt that failed with `unavailable`, for example because the database is down, does not
 * count and is retried after the shortest pause, because the message or order did not cause the failure.
 *
 * @param attemptsBefore number of earlier failed attempts that count
 * @param nowMs milliseconds since the Unix epoch
 */
function failedAttempt(error: unknown, attemptsBefore: number, nowMs: number): FailedAttempt {
  const isKnown = error instanceof ServiceError;
  const isOutage = isKnown && error.code === "unavailable";
  const attempts = isOutage ? attemptsBefore : attemptsBefore + 1;
  const retryAt =
    attempts >= attemptsMax
      ? undefined
      : new Date(nowMs + backOffMs(isOutage ? 0 : attemptsBefore, firstRetryMs, postponedMaxMs));
  const failure = isKnown && error.why !== undefined ? error.why : reason("internal_error");
  return { attempts, retryAt, failure };
}
