import { expect, test } from "vitest";
import { ClaimDecision, OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { type WaitingEvent, waitingEvents } from "../harness/outbox-events.ts";
import { listAll, listOne } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { createStoreWithWebhook, createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { admin, notifier, lifecycle, database, deliveries } = registry;

/** Claims an event and records the outcome `delivered`. */
async function deliver(storeId: string, { id: eventId, certificateId, requestedBy }: WaitingEvent) {
  const claim = { eventId, storeId, certificateId, type: 1, requestedBy };
  const { results } = await notifier.claimDeliveries({ notifierId: "test", claims: [claim] });
  expect(results[0]?.decision).toBe(ClaimDecision.SEND);
  await notifier.recordOutcomes({ outcomes: [{ eventId, kind: OutcomeKind.DELIVERED, httpStatus: 204 }] });
}

/** Issues the first certificate of a store and delivers its event. @returns the event */
async function issueAndDeliver(storeId: string): Promise<WaitingEvent> {
  await issueOne(registry, storeId);
  const [issued] = await waitingEvents(database, storeId);
  if (issued === undefined) throw new Error("the outbox has no event");
  await deliver(storeId, issued);
  return issued;
}

test("adds a test message about a sample certificate to the outbox, like an event, but does not store the certificate", async () => {
  const { storeId } = await createStoreWithWebhook(registry);
  await issueOne(registry, storeId);
  const before = await listAll(registry, storeId);
  const { deliveryId } = await deliveries.sendTestMessage({}, inStore(storeId));
  const message = (await waitingEvents(database, storeId))[1];
  expect(message).toMatchObject({ id: deliveryId, type: "ISSUED", requestedBy: "unknown" });
  expect(message?.certificate).toMatchObject({
    serial: "000000",
    status: "active",
    product: { title: "Sample product" },
    edition: { number: 1, total: 100 },
  });
  expect(message?.certificate.id).toMatch(/^smp_/);
  if (message !== undefined) await deliver(storeId, message);
  expect(await database.collections.deliveries.findOne({ _id: deliveryId })).toMatchObject({
    store: storeId,
    requestedBy: "unknown",
    outcome: { kind: "delivered" },
  });
  expect(await listAll(registry, storeId)).toEqual(before);
  expect(await database.collections.history.countDocuments({ store: storeId })).toBe(1);
});

test("redelivers an event with a new delivery id, the event's original time and the certificate's current state", async () => {
  const { storeId } = await createStoreWithWebhook(registry);
  const { id: eventId, certificateId, occurredAt } = await issueAndDeliver(storeId);
  const newOwner = { newOwnerName: "Bo Example", newOwnerEmail: "bo@example.test" };
  await lifecycle.transferCertificate({ certificateId, ...newOwner }, inStore(storeId));
  const { deliveryId } = await deliveries.redeliverEvent({ eventId }, inStore(storeId));
  expect(deliveryId).not.toBe(eventId);
  const again = (await waitingEvents(database, storeId)).at(-1);
  expect(again).toMatchObject({ id: deliveryId, type: "ISSUED", occurredAt, certificateId });
  expect(again?.certificate).toEqual(await listOne(registry, storeId, "1"));
  expect(again?.certificate.owner.name).toBe("Bo Example");
  if (again !== undefined) await deliver(storeId, again);
  // The delivery log keeps both deliveries.
  const kept = await database.collections.deliveries.find({ certificate: certificateId }).toArray();
  expect(kept.map(({ _id }) => _id).toSorted()).toEqual([eventId, deliveryId].toSorted());
});

test("queues only one message when a request is repeated with the same idempotency key", async () => {
  const { storeId } = await createStoreWithWebhook(registry);
  const first = await deliveries.sendTestMessage({ idempotencyKey: "test-1" }, inStore(storeId));
  expect((await deliveries.sendTestMessage({ idempotencyKey: "test-1" }, inStore(storeId))).deliveryId).toBe(
    first.deliveryId,
  );
  expect(await waitingEvents(database, storeId)).toHaveLength(1);
});

test("refuses a manual send for a store without a webhook, an unknown store, or an unknown or unsettled event", async () => {
  const without = await createTestStore(registry);
  await expect(deliveries.sendTestMessage({}, inStore(without))).rejects.toThrow(
    "[failed_precondition] No webhook URL is set. Set one to receive messages.",
  );
  await expect(deliveries.sendTestMessage({}, inStore("sto_none"))).rejects.toThrow("[not_found]");

  const { storeId } = await createStoreWithWebhook(registry);
  await issueOne(registry, storeId);
  const [issued] = await waitingEvents(database, storeId);
  const eventId = issued?.id ?? "";
  await expect(deliveries.redeliverEvent({ eventId }, inStore(storeId))).rejects.toThrow(
    "[failed_precondition] The event is still being delivered. Try again once the delivery log shows its outcome.",
  );
  for (const wrong of [
    { storeId: without, eventId },
    { storeId, eventId: "evt_none" },
  ])
    await expect(deliveries.redeliverEvent(wrong, inStore(wrong.storeId))).rejects.toThrow(
      "[not_found] There is no such event.",
    );
  if (issued !== undefined) await deliver(storeId, issued);
  await admin.setWebhook({ url: "" }, inStore(storeId));
  await expect(deliveries.redeliverEvent({ eventId }, inStore(storeId))).rejects.toThrow("No webhook URL is set.");
  expect(await waitingEvents(database, storeId)).toEqual([]);
});

test("refuses to redeliver a manual send and names the alternative", async () => {
  const { storeId } = await createStoreWithWebhook(registry);
  const { id: eventId } = await issueAndDeliver(storeId);
  const { deliveryId: test } = await deliveries.sendTestMessage({}, inStore(storeId));
  const { deliveryId: again } = await deliveries.redeliverEvent({ eventId }, inStore(storeId));
  expect(await refusalOf(deliveries.redeliverEvent({ eventId: test }, inStore(storeId)))).toEqual({
    code: "bad_request",
    field: "event_id",
    message: "event_id is invalid: A test message cannot be redelivered. Send another test message instead.",
  });
  expect(await refusalOf(deliveries.redeliverEvent({ eventId: again }, inStore(storeId)))).toEqual({
    code: "bad_request",
    field: "event_id",
    message:
      "event_id is invalid: A redelivery cannot be redelivered. Redeliver the original event, whose id begins with evt_.",
  });
});

test("assigns distinct times to the events and manual sends of a store", async () => {
  const { storeId } = await createStoreWithWebhook(registry);
  for (let round = 0; round < 3; round++)
    await Promise.all([
      deliveries.sendTestMessage({}, inStore(storeId)),
      issueOne(registry, storeId),
      deliveries.sendTestMessage({}, inStore(storeId)),
    ]);
  const waiting = await database.collections.outbox.find({ store: storeId }).toArray();
  expect(new Set(waiting.map(({ at }) => at.getTime())).size).toBe(9);
});
