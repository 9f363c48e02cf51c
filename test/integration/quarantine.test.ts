import { Binary } from "mongodb";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { eventSubject, partitionOf } from "#shared/nats/event-stream.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueInNewStore } from "../harness/issue-items.ts";
import { startLocalNotifier } from "../harness/local-notifier.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { connectForTest, startTestNats } from "../harness/test-nats.ts";
import { createStoreWithWebhook } from "../harness/test-stores.ts";

test("quarantines messages that cannot be decoded and settles the events after them", async ({ onTestFinished }) => {
  const messages = await startTestNats(onTestFinished);
  const registry = await openTestRegistry({ natsUrl: messages.url }, onTestFinished);
  const { outbox, deliveries, certificates } = registry.database.collections;
  const { storeId, certificateId } = await issueInNewStore(registry);
  const issuedAt = (await certificates.findOne({ _id: certificateId }))?.updatedAt ?? new Date(0);
  await outbox.insertOne({
    _id: "evt_broken",
    store: storeId,
    partition: partitionOf(storeId),
    at: new Date(issuedAt.getTime() + 1),
    certificate: certificateId,
    type: EventType.VERIFIED,
    event: new Binary(Buffer.from("?")),
  });
  await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));

  const notifier = await startLocalNotifier({ address: registry.address, natsUrl: messages.url });
  onTestFinished(notifier.stop);
  const stray = await connectForTest(messages.url);
  onTestFinished(() => stray.close());
  const publish = () => stray.jetstream().publish("certificates.3.sto_stray.issued", "stray");
  await eventually(publish);

  await eventually(async () => expect(await outbox.countDocuments()).toBe(0));
  const settled = await deliveries.find({ store: storeId }).sort({ claimedAt: 1 }).toArray();
  expect(settled.map(({ type, outcome }) => [type, outcome?.kind, outcome?.reason?.code])).toEqual([
    [EventType.ISSUED, "skipped", "no_webhook_url"],
    [EventType.VERIFIED, "skipped", "event_unreadable_quarantined"],
    [EventType.REVOKED, "skipped", "no_webhook_url"],
  ]);
  const problem = "the bytes are not a CertificateEvent";
  await eventually(async () => {
    const { messages: quarantined } = await registry.deliveries.listQuarantinedMessages({});
    expect(new Set(quarantined.map((one) => `${one.subject} ${one.messageId} ${one.problem}`))).toEqual(
      new Set([
        `certificates.3.sto_stray.issued  ${problem}`,
        `${eventSubject(storeId, EventType.VERIFIED, "evt_broken")} evt_broken ${problem}`,
      ]),
    );
  });
});

test("keeps the name of the operator who requested a manual send that is quarantined", async ({ onTestFinished }) => {
  const registry = await openTestRegistry({}, onTestFinished);
  const { storeId } = await createStoreWithWebhook(registry);
  const { deliveryId } = await registry.deliveries.sendTestMessage({}, inStore(storeId));
  const subject = eventSubject(storeId, EventType.ISSUED, deliveryId);
  const message = { subject, sequence: 1n, messageId: deliveryId, data: Buffer.of(1), problem: "damaged" };
  await registry.notifier.quarantineMessage(message);
  const { deliveries } = await registry.inspection.listDeliveries({}, inStore(storeId));
  expect(deliveries).toMatchObject([{ eventId: deliveryId, requestedBy: expect.stringMatching(/./) }]);
});
