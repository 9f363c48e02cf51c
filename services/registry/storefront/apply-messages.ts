import type { MessageContent } from "./message.ts";
import { mergeOrder, mergeRefund, type OrderRecord } from "./order-record.ts";
import { publishStorefrontStep } from "./storefront-steps.ts";
import type { StorefrontInbox, StorefrontOrders, StorefrontProducts, WaitingMessage } from "./storefront-storage.ts";

/** Dependencies of {@link applyMessages}. */
export interface ApplyMessagesDeps {
  readonly inbox: Pick<StorefrontInbox, "settle">;
  readonly orders: Pick<StorefrontOrders, "read" | "write">;
  readonly products: Pick<StorefrontProducts, "put">;
}

/**
 * Merges messages of the kinds in orderMessageKinds into the records of orders and products. Idempotent, because the
 * same messages are applied again after a crash. A message whose order another replica changes at the same time stays
 * in the inbox.
 */
export async function applyMessages(
  deps: ApplyMessagesDeps,
  storeId: string,
  messages: readonly WaitingMessage[],
): Promise<void> {
  const products = messages.flatMap(({ content }) => (content.kind === "product" ? [content.product] : []));
  if (products.length > 0) await deps.products.put(storeId, products);
  const conflicts = await mergeIntoOrders(deps.orders, storeId, messages);
  publishStorefrontStep("orders_merged");
  const settled = messages.filter(({ content }) => !conflicts.has(orderIdOf(content) ?? ""));
  await deps.inbox.settle(
    storeId,
    settled.map(({ id }) => id),
  );
  publishStorefrontStep("messages_settled");
}

async function mergeIntoOrders(
  orders: ApplyMessagesDeps["orders"],
  storeId: string,
  messages: readonly WaitingMessage[],
): Promise<ReadonlySet<string>> {
  const byOrder = Map.groupBy(messages, ({ content }) => orderIdOf(content));
  byOrder.delete(undefined);
  const orderIds = [...byOrder.keys()].filter((id) => id !== undefined);
  if (orderIds.length === 0) return new Set();
  const known = await orders.read(storeId, orderIds);
  const changed = known.entries().flatMap(([orderId, { record, version }]) => {
    const merged = (byOrder.get(orderId) ?? []).reduce(merge, record);
    return JSON.stringify(merged) === JSON.stringify(record) ? [] : [[orderId, { record: merged, version }] as const];
  });
  return orders.write(storeId, new Map(changed));
}

function merge(record: OrderRecord, { id, triggeredAtMs, content }: WaitingMessage): OrderRecord {
  if (content.kind === "order") return mergeOrder(record, content.order, { triggeredAtMs, messageId: id });
  return content.kind === "refund" ? mergeRefund(record, content.refund) : record;
}

function orderIdOf(content: MessageContent): string | undefined {
  if (content.kind === "order") return content.order.id;
  return content.kind === "refund" ? content.orderId : undefined;
}
