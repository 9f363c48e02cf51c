import type { Certificate } from "../certificates/certificate.ts";
import type { ChangeQueue } from "../certificates/commit-queue.ts";
import { type OrderPolicy, planOrder } from "./plan-order.ts";
import { orderCertificatesOf, reconcileChange } from "./reconcile-order.ts";
import { publishStorefrontStep } from "./storefront-steps.ts";
import type {
  DueOrder,
  OrderOutcome,
  StorefrontOrders,
  StorefrontProducts,
  Storefronts,
} from "./storefront-storage.ts";

/** Dependencies of {@link reconcileOrders}. */
export interface ReconcileOrdersDeps {
  readonly orders: Pick<StorefrontOrders, "settle" | "certificatesOf">;
  readonly products: Pick<StorefrontProducts, "tagsOf">;
  readonly storefronts: Pick<Storefronts, "find">;
  readonly queue: ChangeQueue;
  /** Returns the current time, which determines which certificates have expired. */
  readonly now: () => Date;
  /** Ends the work between two changes; an order that is not finished stays due. */
  readonly ending: AbortSignal;
  /** Called after each change, with the numbers of certificates that it issued and revoked. */
  readonly onReconciled: (counts: { readonly issued: number; readonly revoked: number }) => void;
}

// Each action needs its own timestamp, a millisecond of the store's clock, so a change can delay its transaction by
// about 100 ms.
const actionsPerChange = 100;

/**
 * Brings the certificates of orders to the state that the orders' records require. Level-triggered: it compares the
 * required state with the actual one, so it can be repeated at any time, even after a crash or by another replica.
 *
 * @returns the orders that failed, each with its error
 */
export async function reconcileOrders(
  deps: ReconcileOrdersDeps,
  storeId: string,
  due: readonly DueOrder[],
): Promise<readonly { readonly order: DueOrder; readonly error: unknown }[]> {
  const orderIds = due.map(({ orderId }) => orderId);
  const certificates = await deps.orders.certificatesOf(storeId, orderIds);
  const byOrder = Map.groupBy(certificates, ({ order }) => order?.id);
  const policy = await policyOf(deps, storeId, due);
  // Submitted concurrently, so that the changes of several orders share a transaction.
  const results = await Promise.allSettled(
    due.map((one) => reconcileOne(deps, storeId, one, { policy, certificates: byOrder.get(one.orderId) ?? [] })),
  );
  const done = results.flatMap((result, index) => {
    const order = due[index];
    if (order === undefined || result.status === "rejected" || result.value === undefined) return [];
    return [{ ...order, ...result.value }];
  });
  // After the loss of the lease, another worker may have applied messages that change the result.
  if (!deps.ending.aborted) {
    await deps.orders.settle(storeId, done);
    publishStorefrontStep("orders_settled");
  }
  return results.flatMap((result, index) => {
    const order = due[index];
    return order === undefined || result.status === "fulfilled" ? [] : [{ order, error: result.reason }];
  });
}

/** @returns undefined if the work ended before the order was finished */
async function reconcileOne(
  { queue, now, ending, onReconciled }: ReconcileOrdersDeps,
  storeId: string,
  { record }: DueOrder,
  { policy, certificates }: { readonly policy: OrderPolicy; readonly certificates: readonly Certificate[] },
): Promise<OrderOutcome | undefined> {
  const plan = planOrder(record, orderCertificatesOf(certificates, now()), policy);
  const actionCount = plan.issue.length + plan.revoke.length;
  publishStorefrontStep("order_planned");
  if (actionCount === 0) return plan;
  while (!ending.aborted) {
    const change = reconcileChange(record, policy, Math.min(actionCount, actionsPerChange));
    const result = await queue.submit(storeId, change);
    const { issuedCount: issued, revokedCount: revoked } = result;
    publishStorefrontStep("order_committed");
    onReconciled({ issued, revoked });
    if (!result.hasMore || issued + revoked === 0) return result;
  }
  return undefined;
}

async function policyOf(deps: ReconcileOrdersDeps, storeId: string, due: readonly DueOrder[]): Promise<OrderPolicy> {
  const { rules } = await deps.storefronts.find(storeId);
  const lines = due.flatMap(({ record }) => record.order?.lines ?? []);
  const productIds = new Set(lines.flatMap(({ productId }) => (productId === "" ? [] : [productId])));
  const needsTags = rules.some(({ selector }) => selector.by === "tag");
  return { rules, tags: needsTags ? await deps.products.tagsOf(storeId, [...productIds]) : new Map() };
}
