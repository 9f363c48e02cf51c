import { createHmac } from "node:crypto";
import type { CertificateDocument } from "../../services/registry/mongo/documents/documents.ts";
import { type EdgeWorld, type ListedStore, request } from "./edge-world.ts";
import { choicesOf } from "./run-in-world.ts";
import { platformSecret } from "./simulated-edge.ts";
import { simulatedSku } from "./simulated-store.ts";

const ordersPerStore = 8;
const placedWithinMs = 30_000;
const lateMaxMs = 15_000;
const waitsMs = 7_000;

/** An order of the platform, in its final state. */
interface PlacedOrder {
  readonly id: number;
  readonly quantity: number;
  readonly isCancelled: boolean;
}

interface Message {
  readonly id: string;
  readonly topic: string;
  readonly order: PlacedOrder;
  readonly isCancelled: boolean;
  readonly updatedMs: number;
}

/**
 * A platform that reports the orders of a store: it sends each message until it is acknowledged, some of them twice,
 * and not in order.
 *
 * @returns the orders, once all messages are acknowledged
 */
export async function placeOrders(history: EdgeWorld, store: ListedStore): Promise<readonly PlacedOrder[]> {
  const random = choicesOf(history, `platform ${store.shop}`);
  const { world, script } = history;
  const orders = Array.from({ length: ordersPerStore }, (_, index) => ({
    id: index + 1,
    quantity: 1 + random.below(3),
    isCancelled: random.chance(0.3),
    delayMs: random.below(placedWithinMs),
  })).filter(({ id, quantity, isCancelled }) => {
    const words = `${store.shop} will get order ${id}: ${quantity} units${isCancelled ? ", later cancelled" : ""}`;
    return script.happens(`${store.shop} ${id}`, world.now(), words);
  });
  const place = async ({ delayMs, ...order }: PlacedOrder & { readonly delayMs: number }) => {
    await world.delay(delayMs);
    const message = (topic: string, isCancelled: boolean, afterMs: number) =>
      send(history, store, {
        id: `${store.shop}-${order.id}-${topic}`,
        topic,
        order,
        isCancelled,
        updatedMs: world.now() + afterMs,
      });
    await Promise.all([
      message("orders/create", false, 0),
      message("orders/paid", false, 1_000),
      order.isCancelled ? message("orders/cancelled", true, order.id % 2 === 0 ? 2_000 : 10_000) : undefined,
    ]);
  };
  await Promise.all(orders.map(place));
  return orders;
}

async function send(history: EdgeWorld, { shop }: ListedStore, message: Message): Promise<void> {
  const { world, script } = history;
  const random = choicesOf(history, message.id);
  const body = bodyOf(message);
  const headers = {
    "content-type": "application/json",
    "x-shopify-hmac-sha256": createHmac("sha256", platformSecret).update(body).digest("base64"),
    "x-shopify-topic": message.topic,
    "x-shopify-shop-domain": shop,
    "x-shopify-webhook-id": message.id,
    "x-shopify-triggered-at": new Date(message.updatedMs).toISOString(),
  };
  const post = {
    method: "POST",
    path: "/storefront/shopify/webhooks",
    headers,
    body,
    from: "203.0.113.50",
    waitsMs,
  } as const;
  await world.delay(random.below(random.chance(0.2) ? lateMaxMs : 1_000));
  for (let left = random.chance(0.3) ? 2 : 1; left > 0; ) {
    const response = await request(history, post);
    script.note(world.now(), `${message.id} is answered with ${response?.status ?? "nothing"}`);
    if (response?.status === 200) left -= 1;
    else if (response !== undefined && response.status !== 503)
      history.problems.push(`a message is answered with ${response.status}: ${response.body}`);
    await world.delay(500 + random.below(3_000));
  }
}

function bodyOf({ order: { id, quantity }, isCancelled, updatedMs }: Message): Buffer {
  const at = new Date(updatedMs).toISOString();
  const line = { id: 10 * id, product_id: 1, title: "Print", sku: simulatedSku, quantity };
  return Buffer.from(
    JSON.stringify({
      id,
      name: `#${id}`,
      created_at: at,
      updated_at: at,
      cancelled_at: isCancelled ? at : null,
      financial_status: "paid",
      email: `buyer${id}@example.test`,
      customer: { id, first_name: "Ada" },
      line_items: [line],
    }),
  );
}

/** Judges the certificates of a store's orders, once all messages have taken effect. */
export function judgeOrders(orders: readonly PlacedOrder[], stored: readonly CertificateDocument[]): string[] {
  return orders.flatMap(({ id, quantity, isCancelled }) => {
    const own = stored.filter(({ order }) => order?.id === String(id));
    const active = own.filter(({ status }) => status === "active").length;
    const expected = isCancelled ? 0 : quantity;
    return [
      ...(active === expected ? [] : [`order ${id} has ${active} active certificates instead of ${expected}`]),
      ...(own.length > quantity ? [`order ${id} has ${own.length} certificates for ${quantity} units`] : []),
    ];
  });
}
