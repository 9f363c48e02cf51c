import { afterAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const nats = await startTestNats();
afterAll(() => nats.close());
const { registry, openShop } = await openStorefrontRig({ natsUrl: nats.url });
const { storefrontMessages } = registry.database.collections;
const withinMs = 30_000;

const email = "mina@example.test";
const orderOf = (id: number) =>
  orderPayload({ id, email, contact_email: email, billing_address: { name: "Mina" }, customer: null });

test("erasures do not hold up the orders of their store", async () => {
  const { send, certificatesOf, storeId } = await openShop();
  const at = new Date(0);
  const kind = "customer_erasure" as const;
  const content = JSON.stringify({ kind, email: "ada@example.test", customerId: "", orderIds: [] });
  const erasures = Array.from({ length: 300 }, (_, index) => ({
    ...{ _id: `${storeId}/erasure-${index}`, store: storeId, kind, topic: "customers/redact" },
    ...{ triggeredAt: at, receivedAt: new Date(), dueAt: at, attempts: 0, content },
  }));
  await storefrontMessages.insertMany(erasures);
  const id = newOrderId();
  await send("orders/paid", orderOf(id));
  await eventually(async () => expect(await certificatesOf(id)).toHaveLength(1), { withinMs });
  const waiting = { store: storeId, kind, dueAt: { $exists: true } } as const;
  expect(await storefrontMessages.countDocuments(waiting)).toBeGreaterThan(250);
  // The others take too long for a test.
  await storefrontMessages.deleteMany(waiting);
});
