import { expect, type TestContext, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { startConfiguredNats } from "../harness/configured-nats.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openTestRegistry, startTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { storedEvents } from "../harness/stored-events.ts";
import { openTestDatabase } from "../harness/test-database.ts";
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
        problem: expect.stringMatching(/^NATS refuses the event \(\d+ bytes\): MAX_PAYLOAD_EXCEEDED$/),
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
