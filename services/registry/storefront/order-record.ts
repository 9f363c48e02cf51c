import { erasedPerson } from "../persons/person-texts.ts";
import type { OrderSnapshot, Refund } from "./message.ts";

/** The rank of an order's state; a newer state has a higher rank. */
export interface StateRank {
  readonly updatedAtMs: number;
  /** Ranks states with the same `updatedAtMs`, which has a resolution of one second on some platforms. */
  readonly triggeredAtMs: number;
  /** Breaks the remaining ties. */
  readonly messageId: string;
}

/** Everything known about an order. Its JSON form is stored. */
export interface OrderRecord {
  /** The newest known state; null while only refunds are known. */
  readonly order: OrderSnapshot | null;
  /** The rank of `order`. */
  readonly rank: StateRank | null;
  /** The refunds from all messages, sorted by id. */
  readonly refunds: readonly Refund[];
  /** Set once the buyer has been erased: later states of the order then enter the record without their buyer. */
  readonly isErased?: true;
}

/** The record of an order about which nothing is known. */
export const emptyOrderRecord: OrderRecord = { order: null, rank: null, refunds: [] };

/** The record of an order about which nothing is known, except that its buyer was erased. */
export const erasedOrderRecord: OrderRecord = eraseBuyer(emptyOrderRecord);

/**
 * Merges a state of the order into the record. The result does not depend on the sequence in which states and refunds
 * are merged, nor on how often each of them is merged. Once one of them is without its buyer, because an erasure has
 * rewritten it, so is the result.
 */
export function mergeOrder(
  record: OrderRecord,
  order: OrderSnapshot,
  message: Pick<StateRank, "triggeredAtMs" | "messageId">,
): OrderRecord {
  const rank = { updatedAtMs: order.updatedAtMs, ...message };
  const isNewer = record.rank === null || compareRanks(rank, record.rank) > 0;
  const refunds = mergeRefunds(record.refunds, order.refunds);
  const merged = isNewer ? { ...record, order, rank, refunds } : { ...record, refunds };
  return isBuyerErased(record) || isBuyerErased({ order }) ? eraseBuyer(merged) : merged;
}

/** Returns whether the buyer of the order has been erased. */
export function isBuyerErased({ order, isErased }: Pick<OrderRecord, "order" | "isErased">): boolean {
  return isErased === true || order?.buyer.email === erasedPerson.email;
}

/** Removes the buyer from a record, and from all states that are merged into it later. */
export function eraseBuyer({ order, ...record }: OrderRecord): OrderRecord {
  const erased = order && { ...order, buyer: { ...erasedPerson, customerId: "" } };
  return { ...record, order: erased, isErased: true };
}

/** Merges a refund into the record; see {@link mergeOrder}. */
export function mergeRefund(record: OrderRecord, refund: Refund): OrderRecord {
  return { ...record, refunds: mergeRefunds(record.refunds, [refund]) };
}

/** Returns the refunded units of each line that has some, by its id, according to every known refund. */
export function refundedUnits({ refunds }: Pick<OrderRecord, "refunds">): ReadonlyMap<string, number> {
  const refunded = new Map<string, number>();
  for (const { units } of refunds)
    for (const { lineId, quantity } of units) refunded.set(lineId, (refunded.get(lineId) ?? 0) + quantity);
  return refunded;
}

/** Returns the number of units of a line that are neither refunded nor removed, according to its newest state. */
export function unitsLeft(line: OrderSnapshot["lines"][number], refunded: number): number {
  return Math.max(0, Math.min(line.currentQuantity ?? line.quantity, line.quantity - refunded));
}

function mergeRefunds(known: readonly Refund[], more: readonly Refund[]): readonly Refund[] {
  const byId = new Map(known.map((refund) => [refund.id, refund]));
  // A refund does not change once it exists, so all messages report it alike.
  for (const refund of more) if (!byId.has(refund.id)) byId.set(refund.id, refund);
  return [...byId.values()].toSorted((one, other) => compareTexts(one.id, other.id));
}

/** Returns a positive number if `one` is the rank of the newer state, a negative one if `other` is, otherwise 0. */
export function compareRanks(one: StateRank, other: StateRank): number {
  return (
    one.updatedAtMs - other.updatedAtMs ||
    one.triggeredAtMs - other.triggeredAtMs ||
    compareTexts(one.messageId, other.messageId)
  );
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
