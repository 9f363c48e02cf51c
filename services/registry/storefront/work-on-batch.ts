import { isUnavailable, ServiceError } from "#shared/errors/service-error.ts";
import type { Places } from "#shared/limits/places.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { reason } from "#shared/reasons/reason.ts";
import { backOffMs } from "#shared/retry/back-off.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import type { Clock } from "#shared/time/clock.ts";
import { applyMessages } from "./apply-messages.ts";
import { type EraseCustomersDeps, eraseCustomers } from "./erase-customers.ts";
import { type ReconcileOrdersDeps, reconcileOrders } from "./reconcile-orders.ts";
import {
  type Attempt,
  type Attempts,
  type DueOrder,
  postponedMaxMs,
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
  /** Identifies this process among all that work on storefronts. */
  readonly workerId: string;
  /** Where this process works on what may have killed a worker: one place. */
  readonly suspects: Pick<Places, "run">;
  /** Aborts when this process stops. */
  readonly stopping: AbortSignal;
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
 * @param isSuspect whether the last worker for the store died or froze, perhaps because of a message or an order: each
 *   is then processed on its own, see {@link workAlone}
 * @returns whether there may be more work
 */
export async function workOnBatch(
  deps: WorkOnBatchDeps,
  storeId: string,
  ending: AbortSignal,
  isSuspect = false,
): Promise<boolean> {
  const { inbox, orders, storefronts } = deps;
  const [messagesMax, ordersMax] = isSuspect ? [1, 1] : [messagesPerBatch, ordersPerBatch];
  // Read before the messages, so that a message that an erasure has rewritten by then is taken as rewritten.
  const { erasures, hasTouchLeft } = await storefronts.find(storeId);
  // Not more orders than are compared below: an order with a new message comes after all that are due. Before the
  // messages, because those about products record more to touch.
  if (hasTouchLeft) await storefronts.touchOrders(storeId, ordersMax);
  const isAlone = ({ attempts }: { readonly attempts: number }) => isSuspect || attempts > 0;
  const messages = await inbox.takeDue(storeId, "orders", messagesMax);
  const together = messages.filter((one) => !isAlone(one));
  let areApplied = together.length === 0 || (await apply(deps, storeId, together));
  for (const message of messages.filter(isAlone)) {
    if (ending.aborted) return true;
    areApplied = (await applyAlone(deps, storeId, message)) && areApplied;
  }
  // Certificates must not be issued to a person who has just been erased. One by one, a message that the erasure has
  // rewritten can wait behind others, and what a worker had read before is already in the order.
  if (!areApplied || (isSuspect && messages.length > 0)) return true;
  const due = await orders.takeDue(storeId, ordersMax);
  const reconcile = async (batch: readonly DueOrder[]) => {
    // Read after the orders: a later change of the rules then changes the version of each order that it affects.
    const { rules, rulesVersion } = await storefronts.find(storeId);
    const store = { rules, rulesVersion, erasures };
    return reconcileOrders({ ...deps, now: () => new Date(deps.clock.now()) }, storeId, batch, store, ending);
  };
  const batch = due.filter((one) => !isAlone(one));
  if (batch.length > 0)
    for (const { order, error } of await reconcile(batch))
      await orders.record(storeId, order, attemptAfter(deps, storeId, order.attempts, error));
  for (const order of due.filter(isAlone)) {
    if (ending.aborted) break;
    await workAlone(deps, storeId, {
      attempts: order.attempts,
      deaths: order.deaths,
      begin: (dueAt) => orders.begin(storeId, order, deps.workerId, dueAt),
      noteSurvived: () => orders.noteSurvived(storeId, order.orderId),
      record: (attempt) => orders.record(storeId, order, attempt),
      work: async () => {
        for (const { error } of await reconcile([order])) throw error;
        return undefined;
      },
    });
  }
  const [erasure] = await inbox.takeDue(storeId, "customers", 1);
  if (erasure !== undefined) await erase(deps, storeId, erasure, isAlone(erasure), ending);
  return messages.length + due.length > 0 || hasTouchLeft || erasure !== undefined;
}

interface WorkAlone extends Attempts {
  /** Whether it may have killed a worker. Default: true. */
  readonly isSuspect?: boolean;
  /**
   * When a message became due. It stays so during the attempt, because another replica must not overlook it. Default:
   * now, so that what is due already comes first after the death of this replica.
   */
  readonly dueAt?: Date;
  /** Counts the attempt. Returns false if the message or order is done, has failed for good or has changed. */
  readonly begin: (dueAt: Date) => Promise<boolean>;
  readonly noteSurvived: () => Promise<void>;
  readonly record: (attempt: Attempt) => Promise<boolean>;
  /** Returns until when the message or order is postponed, unless it is done; undefined: it is due as before. */
  readonly work: () => Promise<Date | undefined>;
}

/**
 * Works on a message or an order that may have killed a worker: counts the attempt before it begins, so that one which
 * kills each worker fails for good after as many deaths as one that throws does after errors. Only one suspect of a
 * process at a time, because the death of the process counts against each.
 */
async function workAlone(
  deps: WorkOnBatchDeps,
  storeId: string,
  { attempts, deaths, isSuspect = true, dueAt: stored, begin, noteSurvived, record, work }: WorkAlone,
): Promise<void> {
  const { clock, logger, onFailed, suspects, stopping } = deps;
  const failure = reason("internal_error");
  const attempt = async () => {
    if (deaths >= attemptsMax) {
      logger.error({ storeId, deaths }, "no worker has survived this storefront work; it has failed");
      onFailed("final");
      await record({ added: 0, retryAt: undefined, failure });
      return;
    }
    const dueAt = stored ?? new Date(clock.now());
    // Without a count, what has changed while it waited for its turn could kill a worker again and again.
    if (!(await begin(dueAt))) return;
    const toRecord = await work().then(
      (retryAt): Attempt => ({ added: -attemptsMax, retryAt: retryAt ?? dueAt, failure }),
      // A worker has survived this attempt, so that its error is not the last because others have died.
      (error: unknown) => attemptAfter(deps, storeId, attempts - deaths, error),
    );
    await retryUntil(noteSurvived, { ...survivedRetry, clock, signal: stopping });
    await record(toRecord);
  };
  await (isSuspect ? suspects.run(storeId, attempt) : attempt());
}

/** @returns as {@link applyMessages} */
async function applyAlone(
  deps: WorkOnBatchDeps,
  storeId: string,
  message: WaitingMessage & Pick<WorkAlone, "isSuspect">,
): Promise<boolean> {
  let isApplied = true;
  let outage: unknown;
  await workAlone(deps, storeId, {
    ...message,
    begin: (dueAt) => deps.inbox.begin(storeId, message.id, deps.workerId, dueAt),
    noteSurvived: () => deps.inbox.noteSurvived(storeId, message.id),
    // After an outage, it stays the first, so that no order is compared before it.
    record: (attempt) =>
      deps.inbox.record(storeId, message.id, outage === undefined ? attempt : { ...attempt, retryAt: message.dueAt }),
    work: async () => {
      try {
        isApplied = await applyMessages(deps, storeId, [message]);
      } catch (error) {
        if (isUnavailable(error)) outage = error;
        throw error;
      }
      return undefined;
    },
  });
  if (outage !== undefined) throw outage;
  return isApplied;
}

/** @returns as {@link applyMessages} */
async function apply(deps: WorkOnBatchDeps, storeId: string, messages: readonly WaitingMessage[]): Promise<boolean> {
  try {
    return await applyMessages(deps, storeId, messages);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    // One by one, so that a message that fails does not block the others.
    let areApplied = true;
    for (const message of messages)
      areApplied = (await applyAlone(deps, storeId, { ...message, isSuspect: false })) && areApplied;
    return areApplied;
  }
}

async function erase(
  deps: WorkOnBatchDeps,
  storeId: string,
  message: WaitingMessage,
  isSuspect: boolean,
  ending: AbortSignal,
): Promise<void> {
  const { inbox, clock } = deps;
  await workAlone(deps, storeId, {
    ...message,
    isSuspect,
    begin: (dueAt) => inbox.begin(storeId, message.id, deps.workerId, dueAt),
    noteSurvived: () => inbox.noteSurvived(storeId, message.id),
    record: (attempt) => inbox.record(storeId, message.id, attempt),
    work: async () => {
      const result = await eraseCustomers(deps, storeId, message, ending);
      if (result === "done") await inbox.settle(storeId, [message]);
      return result === "waiting" ? new Date(clock.now() + erasurePauseMs) : undefined;
    },
  });
}

function attemptAfter(
  { logger, clock, onFailed }: WorkOnBatchDeps,
  storeId: string,
  attemptsBefore: number,
  error: unknown,
): Attempt {
  const attempt = failedAttempt(error, attemptsBefore, clock.now());
  onFailed(attempt.retryAt === undefined ? "final" : "retried");
  const line = { storeId, err: error, attempts: attemptsBefore + attempt.added, retryAt: attempt.retryAt };
  if (isUnavailable(error)) logger.warn(line, "storefront work postponed");
  else logger.error(line, "storefront work failed");
  return attempt;
}

// Repeated until the database is available: otherwise, an outage would count as the death of this worker. Beyond the
// turn, because one call can wait as long as a turn for a server; not for ever, because other suspects wait meanwhile.
const survivedRetry = {
  isFinal: (error: unknown) => !isUnavailable(error),
  attemptsMax: 20,
  pauseMs: { first: 250, max: 1_000 },
};

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
function failedAttempt(error: unknown, attemptsBefore: number, nowMs: number): Attempt {
  const isKnown = error instanceof ServiceError;
  const isOutage = isUnavailable(error);
  const added = isOutage ? 0 : 1;
  const retryAt =
    attemptsBefore + added >= attemptsMax
      ? undefined
      : new Date(nowMs + backOffMs(isOutage ? 0 : attemptsBefore, firstRetryMs, postponedMaxMs));
  const failure = isKnown && error.why !== undefined ? error.why : reason("internal_error");
  return { added, retryAt, failure };
}
