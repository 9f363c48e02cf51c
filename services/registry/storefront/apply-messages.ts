import { erasedPerson } from "../persons/person-texts.ts";
import type { MessageContent } from "./message.ts";
import { erasedOrderRecord, mergeOrder, mergeRefund, type OrderRecord } from "./order-record.ts";
import { affectsRules } from "./rules.ts";
import { publishStorefrontStep } from "./storefront-steps.ts";
import type {
  StorefrontInbox,
  StorefrontOrders,
  StorefrontProducts,
  Storefronts,
  VersionedRecord,
  WaitingMessage,
} from "./storefront-storage.ts";

/** Dependencies of {@link applyMessages}. */
export interface ApplyMessagesDeps {
  readonly inbox: Pick<StorefrontInbox, "settle">;
  readonly orders: Pick<StorefrontOrders, "read" | "write" | "touchWaiting" | "certificatesOf">;
  readonly products: Pick<StorefrontProducts, "put">;
  readonly storefronts: Pick<Storefronts, "find">;
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
  await putProducts(deps, storeId, messages);
  const conflicts = await mergeIntoOrders(deps.orders, storeId, messages);
  publishStorefrontStep("orders_merged");
  const settled = messages.filter(({ content }) => !conflicts.has(orderIdOf(content) ?? ""));
  await deps.inbox.settle(storeId, settled);
  publishStorefrontStep("messages_settled");
}

/** Stores the tags of products, and makes the orders due whose certificates depend on the changed tags. */
async function putProducts(
  { products, orders, storefronts }: ApplyMessagesDeps,
  storeId: string,
  messages: readonly WaitingMessage[],
): Promise<void> {
  const states = messages.flatMap(({ id: messageId, triggeredAtMs, content }) => {
    if (content.kind !== "product") return [];
    const { product } = content;
    return [{ product, rank: { updatedAtMs: product.updatedAtMs, triggeredAtMs, messageId } }];
  });
  if (states.length === 0) return;
  const changes = await products.put(storeId, states);
  if (changes.length === 0) return;
  // Read after the write: rules that are set later make their orders due themselves.
  const { rules } = await storefronts.find(storeId);
  const waitsFor = changes.flatMap((change) => (affectsRules(rules, change) ? [change.productId] : []));
  if (waitsFor.length > 0) await orders.touchWaiting(storeId, waitsFor);
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
): Promise<ReadonlySet<string | undefined>> {
  const unknown = [...known].flatMap(([orderId, { version }]) => (version === 0 ? [orderId] : []));
  const certificates = unknown.length === 0 ? [] : await orders.certificatesOf(storeId, unknown);
  const erased = certificates.filter(({ originalBuyer }) => originalBuyer.email === erasedPerson.email);
  return new Set(erased.map(({ order }) => order?.id));
}

function merge(record: OrderRecord, { id, triggeredAtMs, content }: WaitingMessage): OrderRecord {
  if (content.kind === "order") return mergeOrder(record, content.order, { triggeredAtMs, messageId: id });
  return content.kind === "refund" ? mergeRefund(record, content.refund) : record;
}

function orderIdOf(content: MessageContent): string | undefined {
  if (content.kind === "order") return content.order.id;
  return content.kind === "refund" ? content.orderId : undefined;
}
