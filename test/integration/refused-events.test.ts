import { Binary } from "mongodb";
import { expect, type TestContext, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { eventSubject, partitionOf } from "#shared/nats/event-stream.ts";
import { reason } from "#shared/reasons/reason.ts";
import { startConfiguredNats } from "../harness/configured-nats.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueInNewStore, issueItem, issueOne } from "../harness/issue-items.ts";
import { startLocalNotifier } from "../harness/local-notifier.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openTestRegistry, startTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { storedEvents } from "../harness/stored-events.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { connectForTest, startTestNats } from "../harness/test-nats.ts";
import { createStoreWithWebhook, createTestStore } from "../harness/test-stores.ts";

const maxPayload = 2_048;
// Each field is within its limit, but the event of this item exceeds the maximum payload of the NATS server.
const longTitle = "€".repeat(255);
const longItem = { product: { title: longTitle, variant: longTitle } };

async function startNats({ onTestFinished }: TestContext, settings: string) {
  const nats = await startConfiguredNats(settings);
  onTestFinished(nats.close);
  return { ...nats, url: `nats://${nats.address}` };
}

const refused = ({ operationsUrl }: TestRegistry) => metricValues(operationsUrl, "registry_publishes_refused_total");
const certificatesIn = async (url: string) => (await storedEvents(url)).map(({ event }) => event.certificateId);

test("quarantines an event that is too large for NATS, publishes the others, and can redeliver the large event once the limit has been raised", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  // Without NATS, the registry does not know the maximum payload, so it accepts the item.
  const before = await startTestRegistry({ database });
  const { storeId } = await createStoreWithWebhook(before, { url: "https://127.0.0.1/webhooks" });
  const certificateId = await issueOne(before, storeId, longItem);
  await before.stop();

  const nats = await startNats(context, `max_payload: ${maxPayload}`);
  const registry = await openTestRegistry({ database, natsUrl: nats.url }, context.onTestFinished);
  const other = await issueOne(registry, storeId);
  await eventually(async () => expect(await certificatesIn(nats.url)).toEqual([other]));
  const { entries } = await registry.inspection.getHistory({ certificateId }, inStore(storeId));
  const [eventId = ""] = entries.map((issued) => issued.eventId);
  await eventually(async () => {
    const { messages } = await registry.deliveries.listQuarantinedMessages({});
    expect(messages).toMatchObject([
      {
        messageId: eventId,
        subject: expect.stringMatching(`^certificates\\.\\d+\\.${storeId}\\.1\\.${eventId}$`),
        problem: {
          code: "event_refused_by_nats",
          text: expect.stringMatching(/^NATS refuses the event \(\d+ bytes\): MAX_PAYLOAD_EXCEEDED$/),
        },
      },
    ]);
  });
  expect(await refused(registry)).toEqual({ 'reason="too_large"': 1, 'reason="not_permitted"': 0 });
  const delivery = await database.collections.deliveries.findOne({ _id: eventId });
  expect(delivery?.outcome).toMatchObject({ kind: "skipped", reason: { code: "event_too_large" } });

  await nats.restart("max_payload: 1048576");
  const redeliver = () => registry.deliveries.redeliverEvent({ eventId }, inStore(storeId));
  await eventually(redeliver);
  await eventually(async () => expect(await certificatesIn(nats.url)).toEqual([other, certificateId]));
});

test("refuses a change whose event would be too large for NATS, but commits concurrent changes", async (context) => {
  const nats = await startNats(context, `max_payload: ${maxPayload}`);
  const registry = await openTestRegistry({ natsUrl: nats.url }, context.onTestFinished);
  const storeId = await createTestStore(registry);
  const first = await issueOne(registry, storeId);
  await eventually(async () => expect(await certificatesIn(nats.url)).toEqual([first]));
  const issue = (item = issueItem()) => registry.issuing.issueCertificates({ items: [item] }, inStore(storeId));
  const [small, long, revoked] = await Promise.allSettled([
    issue(),
    issue(issueItem(longItem)),
    registry.lifecycle.revokeCertificate({ certificateId: first, cause: RevocationCause.REFUND }, inStore(storeId)),
  ]);
  expect([small.status, revoked.status]).toEqual(["fulfilled", "fulfilled"]);
  expect(long).toMatchObject({
    status: "rejected",
    reason: {
      rawMessage: expect.stringMatching(/^The certificate's text fields are too long: the event would be [\d,]+ bytes/),
    },
  });
  const { certificates, outbox } = registry.database.collections;
  expect([await certificates.countDocuments(), await outbox.countDocuments()]).toEqual([2, 3]);
});

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
    storedAt: issuedAt,
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
  const problem = "event_malformed";
  await eventually(async () => {
    const { messages: quarantined } = await registry.deliveries.listQuarantinedMessages({});
    expect(new Set(quarantined.map((one) => `${one.subject} ${one.messageId} ${one.problem?.code}`))).toEqual(
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
  const message = {
    subject,
    sequence: 1n,
    messageId: deliveryId,
    data: Buffer.of(1),
    problem: reason("event_malformed"),
  };
  await registry.notifier.quarantineMessage(message);
  const { deliveries } = await registry.inspection.listDeliveries({}, inStore(storeId));
  expect(deliveries).toMatchObject([{ eventId: deliveryId, requestedBy: expect.stringMatching(/./) }]);
});
