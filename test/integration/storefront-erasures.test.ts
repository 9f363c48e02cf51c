import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { testWebhookUrl } from "../harness/test-stores.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const nats = await startTestNats();
const { registry, openShop } = await openStorefrontRig({ natsUrl: nats.url });
const { storefrontMessages, deliveries } = registry.database.collections;

const email = "mina@example.test";
const orderOf = (id: number) =>
  orderPayload({ id, email, contact_email: email, billing_address: { name: "Mina" }, customer: null });

test("erasures do not delay their store's orders", async () => {
  const { send, certificatesOf, storeId } = await openShop();
  const at = new Date(0);
  const kind = "customer_erasure" as const;
  const content = JSON.stringify({ kind, email: "ada@example.test", customerId: "", orderIds: [] });
  const erasures = Array.from({ length: 300 }, (_, index) => ({
    _id: `${storeId}/erasure-${index}`,
    store: storeId,
    kind,
    topic: "customers/redact",
    triggeredAt: at,
    receivedAt: new Date(),
    dueAt: at,
    attempts: 0,
    content,
  }));
  await storefrontMessages.insertMany(erasures);
  const id = newOrderId();
  await send("orders/paid", orderOf(id));
  await eventually(async () => expect(await certificatesOf(id)).toHaveLength(1));
  const waiting = { store: storeId, kind, dueAt: { $exists: true } } as const;
  expect(await storefrontMessages.countDocuments(waiting)).toBeGreaterThan(250);
  // The remaining erasures would take too long for a test.
  await storefrontMessages.deleteMany(waiting);
});

test("an erasure waits for messages that are being sent, and then erases the receiver's responses", async () => {
  const { report, send, settled, storeId } = await openShop();
  await registry.admin.setWebhook({ url: testWebhookUrl }, inStore(storeId));
  await report("orders/paid", orderOf(newOrderId()));
  const [event] = await waitingEvents(registry.database, storeId);
  const eventId = event?.id ?? "";
  const claim = { eventId, storeId, certificateId: event?.certificateId ?? "", type: 1 };
  await registry.notifier.claimDeliveries({ notifierId: "notifier-1", claims: [claim] });
  await send("customers/redact", { customer: { email }, orders_to_redact: [] }, { webhookId: "redact" });
  const message = async () => {
    const found = await storefrontMessages.findOne({ _id: `${storeId}/redact` });
    return { isErasing: found?.erasing !== undefined, isPostponed: (found?.dueAt?.getTime() ?? 0) > Date.now() };
  };
  // The erasure's first pass has ended, and the next is postponed because a message is being sent.
  await eventually(async () => expect(await message()).toEqual({ isErasing: true, isPostponed: true }));
  const outcome = {
    eventId,
    kind: OutcomeKind.REFUSED,
    httpStatus: 400,
    reason: reason("status_not_success", { status: 400 }),
  };
  await registry.notifier.recordOutcomes({
    outcomes: [{ ...outcome, replyExcerpt: `unknown customer: ${email}, Mina` }],
  });
  await settled();
  const stored = JSON.stringify(await deliveries.find({ store: storeId }).toArray());
  expect(stored).toContain("status_not_success");
  expect(stored).not.toMatch(/mina/i);
  expect(await storefrontMessages.findOne({ _id: `${storeId}/redact` })).toMatchObject({ attempts: 0, content: "" });
  expect((await registry.storefront.getStorefront({}, inStore(storeId))).failedCount).toBe(0);
});
