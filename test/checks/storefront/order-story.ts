import { randomUUID } from "node:crypto";
import { type SeededRandom, shuffled } from "../../harness/seeded-random.ts";
import { type LinePayload, newOrderId, orderPayload, refundPayload } from "../../harness/storefront/order-payload.ts";

/** A message from the storefront platform, which repeats it until it is acknowledged. */
interface StoryMessage {
  readonly topic: string;
  readonly payload: object;
  readonly webhookId: string;
}

/** The messages about one order, in order of arrival, and the certificates that must exist afterwards. */
export interface OrderStory {
  readonly messages: readonly StoryMessage[];
  /** The units that must have a valid certificate in the end, as `order/line/unit`. */
  readonly validUnits: readonly string[];
}

const firstLine = 13_800_000_000_000;
const second = (at: number) => `2030-01-31T10:00:${String(at).padStart(2, "0")}-05:00`;

/**
 * Generates the messages of an order that is placed and paid; often, one unit is then refunded, or the order is edited
 * or cancelled. For some orders, the messages arrive out of sequence; for some, one message arrives twice.
 */
export function makeOrderStory(random: SeededRandom): OrderStory {
  const orderId = newOrderId();
  const count = 1 + random.below(3);
  const placed: readonly LinePayload[] = Array.from({ length: count }, (_, index) => ({
    id: firstLine + index,
    sku: `S-${index}`,
    quantity: 1 + random.below(3),
  }));
  const message = (topic: string, payload: object) => ({ topic, payload, webhookId: randomUUID() });
  const order = (at: number, lines: readonly LinePayload[], fields: object = {}) =>
    orderPayload({ id: orderId, lines, updated_at: second(at), ...fields });
  const start = [
    message("orders/create", order(0, placed, { financial_status: "pending" })),
    message("orders/paid", order(1, placed)),
  ];
  const [first] = placed;
  const edited = [...placed, { id: firstLine + count, sku: "ADDED", quantity: 2 }];
  const { more, left } = random.pick<{ more: readonly StoryMessage[]; left: readonly LinePayload[] }>([
    { more: [], left: placed },
    {
      more: [message("refunds/create", refundPayload(orderId, { [first?.id ?? 0]: 1 }, orderId))],
      left: placed.map((line, index) => ({ ...line, quantity: (line.quantity ?? 1) - Number(index === 0) })),
    },
    { more: [message("orders/cancelled", order(5, placed, { cancelled_at: second(5) }))], left: [] },
    { more: [message("orders/updated", order(6, edited))], left: edited },
  ]);
  const sent = [...start, ...more];
  const arrived = random.chance(0.3) ? shuffled(sent, random) : sent;
  const messages = random.chance(0.2) ? [...arrived, random.pick(arrived)] : arrived;
  return { messages, validUnits: left.flatMap((line) => unitsOf(orderId, line)) };
}

/** Returns the remaining units of a line. The registry revokes the units with the highest numbers first. */
function unitsOf(orderId: number, { id, quantity = 1 }: LinePayload): string[] {
  return Array.from({ length: quantity }, (_, index) => `${orderId}/${id}/${index + 1}`);
}
