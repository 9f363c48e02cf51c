import { randomUUID } from "node:crypto";
import { type SeededRandom, shuffled } from "../../harness/seeded-random.ts";
import { type LinePayload, newOrderId, orderPayload, refundPayload } from "../../harness/storefront/order-payload.ts";

/** A message that the platform sends repeatedly, until it is acknowledged. */
export interface StoryMessage {
  readonly topic: string;
  readonly payload: object;
  readonly webhookId: string;
}

/** The messages about one order, as they arrive, and the number of certificates that they must lead to. */
export interface OrderStory {
  readonly orderId: number;
  readonly messages: readonly StoryMessage[];
  /** Number of valid certificates that the order has in the end. */
  readonly validCount: number;
}

const firstLine = 13_800_000_000_000;
const second = (at: number) => `2030-01-31T10:00:${String(at).padStart(2, "0")}-05:00`;

/**
 * Makes up an order: it is placed and paid, and then often refunded in part, edited or cancelled. Some messages arrive
 * out of sequence, and some twice.
 */
export function makeOrderStory(random: SeededRandom): OrderStory {
  const orderId = newOrderId();
  const count = 1 + random.below(3);
  const placed: readonly LinePayload[] = Array.from({ length: count }, (_, index) => ({
    ...{ id: firstLine + index, sku: `S-${index}`, quantity: 1 + random.below(3) },
  }));
  const units = placed.reduce((sum, { quantity = 1 }) => sum + quantity, 0);
  const message = (topic: string, payload: object) => ({ topic, payload, webhookId: randomUUID() });
  const order = (at: number, lines: readonly LinePayload[], fields: object = {}) =>
    orderPayload({ id: orderId, lines, updated_at: second(at), ...fields });
  const start = [
    message("orders/create", order(0, placed, { financial_status: "pending" })),
    message("orders/paid", order(1, placed)),
  ];
  const [first] = placed;
  const { more, validCount } = random.pick([
    () => ({ more: [], validCount: units }),
    () => ({
      more: [message("refunds/create", refundPayload(orderId, { [first?.id ?? 0]: 1 }, orderId))],
      validCount: units - 1,
    }),
    () => ({ more: [message("orders/cancelled", order(5, placed, { cancelled_at: second(5) }))], validCount: 0 }),
    () => {
      const edited = [...placed, { id: firstLine + count, sku: "ADDED", quantity: 2 }];
      return { more: [message("orders/updated", order(6, edited))], validCount: units + 2 };
    },
  ])();
  const sent = [...start, ...more];
  const arrived = random.chance(0.3) ? shuffled(sent, random) : sent;
  return { orderId, messages: random.chance(0.2) ? [...arrived, random.pick(arrived)] : arrived, validCount };
}
