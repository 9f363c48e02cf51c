import type { Certificate } from "../certificates/certificate.ts";
import type { ChangeQueue } from "../certificates/commit-queue.ts";
import { certificatesPerOrderMax, limitNotes, type OrderPolicy, planOrder } from "./plan-order.ts";
import { orderCertificatesOf, productIdsOf, reconcileChange, type StoreInputs } from "./reconcile-order.ts";
import { dependOnTags } from "./rules.ts";
import type { DueOrder, OrderOutcome, StorefrontOrders, StorefrontProducts } from "./storefront-storage.ts";

export interface ReconcileOrdersDeps {
  readonly orders: Pick<StorefrontOrders, "settle" | "certificatesOf">;
  readonly products: Pick<StorefrontProducts, "tagsOf">;
  readonly queue: ChangeQueue;
  /** Returns the current time, which determines which certificates have expired. */
  readonly now: () => Date;
  /** Called after each change, with the numbers of certificates that it issued and revoked. */
  readonly onReconciled: (counts: { readonly issued: number; readonly revoked: number }) => void;
}

// Each action needs its own timestamp, a millisecond of the store's clock, so a change can delay its transaction by
// about 100 ms.
const actionsPerChange = 100;

/**
 * Brings the certificates of orders to the state that the orders' records require. Level-triggered: it compares the
 * required state with the actual one, so it can be repeated at any time, even after a crash, by another replica, or by
 * two replicas at the same time.
 *
 * @param ending ends the work on an order between two changes, and between orders that are loaded one after the other;
 *   the orders stay due
 * @returns the orders that failed, each with its error
 */
export async function reconcileOrders(
  deps: ReconcileOrdersDeps,
  storeId: string,
  due: readonly DueOrder[],
  store: StoreInputs,
  ending: AbortSignal,
): Promise<readonly FailedOrder[]> {
  const failed: FailedOrder[] = [];
  for (const orders of loadedTogether(due)) {
    const orderIds = orders.map(({ orderId }) => orderId);
    const certificates = await deps.orders.certificatesOf(storeId, orderIds);
    const byOrder = Map.groupBy(certificates, ({ order }) => order?.id);
    const productIds = dependOnTags(store.rules) ? orders.flatMap(({ record }) => productIdsOf(record)) : [];
    const tags = await deps.products.tagsOf(storeId, [...new Set(productIds)]);
    // Submitted concurrently, so that the changes of several orders share a transaction.
    const results = await Promise.allSettled(
      orders.map((order) =>
        reconcileOne(deps, storeId, order, { ...store, tags, certificates: byOrder.get(order.orderId) ?? [], ending }),
      ),
    );
    const done = results.flatMap((result, index) => {
      const order = orders[index];
      if (order === undefined || result.status === "rejected" || result.value === undefined) return [];
      return [{ order, outcome: result.value }];
    });
    await deps.orders.settle(storeId, done);
    for (const [index, order] of orders.entries()) {
      const result = results[index];
      if (result?.status === "rejected") failed.push({ order, error: result.reason });
    }
    if (ending.aborted) break;
  }
  return failed;
}

interface FailedOrder {
  readonly order: DueOrder;
  readonly error: unknown;
}

/**
 * Divides orders into groups of which each has about as many units as one order can have certificates, or fewer. Other
 * certificates of an order, such as imported ones, do not count.
 */
function* loadedTogether(due: readonly DueOrder[]): Generator<readonly DueOrder[]> {
  let group: DueOrder[] = [];
  let room = certificatesPerOrderMax;
  for (const order of due) {
    const unitCount = order.record.order?.lines.reduce((sum, { quantity }) => sum + quantity, 0) ?? 0;
    if (unitCount > room && group.length > 0) {
      yield group;
      group = [];
      room = certificatesPerOrderMax;
    }
    group.push(order);
    room -= unitCount;
  }
  yield group;
}

interface Inputs extends StoreInputs, OrderPolicy {
  readonly certificates: readonly Certificate[];
  readonly ending: AbortSignal;
}

/** @returns undefined if the order is still due: its inputs have changed since they were read, or the work ends */
async function reconcileOne(
  { queue, now, onReconciled }: ReconcileOrdersDeps,
  storeId: string,
  order: DueOrder,
  inputs: Inputs,
): Promise<OrderOutcome | undefined> {
  const plan = planOrder(order.record, orderCertificatesOf(inputs.certificates, now()), inputs);
  const actionCount = plan.issueMax + plan.revoke.length;
  if (actionCount === 0) return { notes: [...plan.notes, ...limitNotes(plan, 0)], waitsFor: plan.waitsFor };
  for (;;) {
    const change = reconcileChange(order, inputs, Math.min(actionCount, actionsPerChange));
    const result = await queue.submit(storeId, change);
    if (result === undefined) return undefined;
    const { issuedCount: issued, revokedCount: revoked } = result;
    onReconciled({ issued, revoked });
    if (!result.hasMore || issued + revoked === 0) return result;
    if (inputs.ending.aborted) return undefined;
  }
}
