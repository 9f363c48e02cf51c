import { erasedPerson } from "../persons/person-texts.ts";
import type { MessageContent } from "./message.ts";
import { erasedOrderRecord, mergeOrder, mergeRefund, type OrderRecord } from "./order-record.ts";
import type {
  RankedProduct,
  StorefrontInbox,
  StorefrontOrders,
  StorefrontProducts,
  VersionedRecord,
  WaitingMessage,
} from "./storefront-storage.ts";

interface ApplyMessagesDeps {
  readonly inbox: Pick<StorefrontInbox, "settle">;
  readonly orders: Pick<StorefrontOrders, "read" | "write" | "buyersOf">;
  readonly products: Pick<StorefrontProducts, "put">;
}

/**
 * Merges messages of the kinds in orderMessageKinds into the records of orders and products. Idempotent, because the
 * same messages are applied again after a crash. A message whose order another replica changes at the same time stays
 * in the inbox.
 *
 * @returns false if a message remains, which must be applied before certificates are issued: an erasure may have
 *   rewritten it, and a record may contain the erased person until then
 * @throws Error if the content of a stored message cannot be read
 */
export async function applyMessages(
  deps: ApplyMessagesDeps,
  storeId: string,
  messages: readonly WaitingMessage[],
): Promise<boolean> {
  const unreadable = messages.find(({ content }) => content.kind === "unreadable");
  if (unreadable !== undefined) throw new Error(`the stored message ${unreadable.id} cannot be read`);
  const products = messages.flatMap(productOf);
  if (products.length > 0) await deps.products.put(storeId, products);
  const conflicts = await mergeIntoOrders(deps.orders, storeId, messages);
  const settled = messages.filter(({ content }) => !conflicts.has(orderIdOf(content) ?? ""));
  const areUnchanged = await deps.inbox.settle(storeId, settled);
  return areUnchanged && conflicts.size === 0;
}

function productOf({ id: messageId, triggeredAtMs, content }: WaitingMessage): readonly RankedProduct[] {
  if (content.kind !== "product") return [];
  const { product } = content;
  return [{ product, rank: { updatedAtMs: product.updatedAtMs, triggeredAtMs, messageId } }];
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
  const erased = await findErased(orders, storeId, known);
  const changed = known.entries().flatMap(([orderId, { record, version }]) => {
    const before = erased.has(orderId) ? erasedOrderRecord : record;
    const merged = (byOrder.get(orderId) ?? []).reduce(merge, before);
    return JSON.stringify(merged) === JSON.stringify(record) ? [] : [[orderId, { record: merged, version }] as const];
  });
  return orders.write(storeId, new Map(changed));
}

/** Returns the orders without a record whose buyer was erased, for example before the record expired. */
async function findErased(
  orders: ApplyMessagesDeps["orders"],
  storeId: string,
  known: ReadonlyMap<string, VersionedRecord>,
): Promise<ReadonlySet<string>> {
  const unknown = [...known].flatMap(([orderId, { version }]) => (version === 0 ? [orderId] : []));
  const buyers = unknown.length === 0 ? [] : await orders.buyersOf(storeId, unknown);
  return new Set([...buyers].flatMap(([orderId, emails]) => (emails.has(erasedPerson.email) ? [orderId] : [])));
}

function merge(record: OrderRecord, { id, triggeredAtMs, content }: WaitingMessage): OrderRecord {
  if (content.kind === "order") return mergeOrder(record, content.order, { triggeredAtMs, messageId: id });
  return content.kind === "refund" ? mergeRefund(record, content.refund) : record;
}

function orderIdOf(content: MessageContent): string | undefined {
  if (content.kind === "order") return content.order.id;
  return content.kind === "refund" ? content.orderId : undefined;
}
