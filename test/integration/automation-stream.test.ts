import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Binary } from "mongodb";
import type { NatsConnection } from "nats";
import { expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { cloudEventsType } from "#shared/automation/cloud-event.ts";
import { automationStreamName } from "#shared/nats/automation-stream.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { listOne } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";
import { issue, openReceiver, soon, startNotifier } from "./notifier-rig.ts";
import { openTriggerRig, type TriggerRig } from "./trigger-rig.ts";

const on = { REGISTRY_AUTOMATION_EVENTS: "on" };

/** Returns the messages of the automation stream, in order. */
async function streamed(connection: NatsConnection) {
  const { streams } = await connection.jetstreamManager();
  const { state } = await streams.info(automationStreamName);
  const messages = [];
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++)
    messages.push(await streams.getMessage(automationStreamName, { seq }));
  return messages.map(({ subject, header, data }) => ({
    subject,
    id: header.get("Nats-Msg-Id"),
    contentType: header.get("content-type"),
    event: JSON.parse(Buffer.from(data).toString()),
  }));
}

const untilStreamed = (rig: TriggerRig, count: number) =>
  soon(async () => {
    const messages = await streamed(rig.connection);
    expect(messages).toHaveLength(count);
    return messages;
  });

test("publishes each event as a CloudEvent, in order, for a store without a webhook", async (context) => {
  const rig = await openTriggerRig(context, on);
  const storeId = await createTestStore(rig.registry);
  const certificateId = await issueOne(rig.registry, storeId);
  const issued = await listOne(rig.registry, storeId);
  await rig.registry.lifecycle.revokeCertificate({ certificateId, reason: "refund", cause: 1 }, inStore(storeId));
  const [first, second] = await untilStreamed(rig, 2);
  expect(first).toEqual({
    subject: `automation.${storeId}.issued`,
    id: first?.event.id,
    contentType: cloudEventsType,
    event: {
      specversion: "1.0",
      id: expect.stringMatching(/^evt_/),
      source: expect.stringMatching(/^https:\/\//),
      type: "certificate-registry.certificate.issued",
      subject: certificateId,
      time: issued.updatedAt,
      datacontenttype: "application/json",
      data: { event: "issued", shop: expect.any(String), occurredAt: issued.updatedAt, certificate: issued },
    },
  });
  expect(second).toMatchObject({
    subject: `automation.${storeId}.revoked`,
    event: { data: { event: "revoked", certificate: { id: certificateId, status: "revoked" } } },
  });
  const { automationOutbox } = rig.registry.database.collections;
  await soon(async () => expect(await automationOutbox.countDocuments()).toBe(0));
});

test("publishes an event of a type that only a later version knows by its name, and then the store's later events", async (context) => {
  const rig = await openTriggerRig(context, on);
  const storeId = await createTestStore(rig.registry);
  const startMs = Date.now();
  const ids = { storeId, shop: "linden.example", certificateId: "crt_1" };
  const documentOf = (id: string, type: number, at: Date, name: string) => {
    const content = { id, type, occurredAt: timestampFromDate(at), certificateJson: Buffer.from("{}") };
    const event = create(CertificateEventSchema, { ...ids, ...content });
    const encoded = new Binary(toBinary(CertificateEventSchema, event));
    return { _id: id, store: storeId, at, storedAt: at, name, event: encoded };
  };
  await rig.registry.database.collections.automationOutbox.insertMany([
    documentOf("evt_1", EventType.ISSUED, new Date(startMs), "issued"),
    documentOf("evt_2", 99, new Date(startMs + 1), "renewed"),
    documentOf("evt_3", EventType.REVOKED, new Date(startMs + 2), "revoked"),
  ]);
  const messages = await untilStreamed(rig, 3);
  expect(messages.map(({ subject, id, event }) => [subject, id, event.type, event.data.event])).toEqual(
    [
      ["issued", "evt_1"],
      ["renewed", "evt_2"],
      ["revoked", "evt_3"],
    ].map(([name, id]) => [`automation.${storeId}.${name}`, id, `certificate-registry.certificate.${name}`, name]),
  );
});

test("two replicas together publish each event once and keep the order of each store's events", async (context) => {
  const rig = await openTriggerRig(context, on);
  const { registry, natsUrl } = rig;
  const replica = await openTestRegistry({ database: registry.database, natsUrl, env: on }, context.onTestFinished);
  const stores = await Promise.all([createTestStore(registry), createTestStore(registry)]);
  for (let round = 0; round < 5; round++)
    await Promise.all(
      stores.flatMap((storeId) => [issue({ registry }, storeId, 3), issue({ registry: replica }, storeId, 3)]),
    );
  const messages = await untilStreamed(rig, stores.length * 30);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  for (const storeId of stores) {
    const times = messages.filter(({ subject }) => subject.includes(storeId)).map(({ event }) => event.time);
    expect(times).toEqual(times.toSorted());
  }
}, 120_000);

test("a full stream deletes its oldest events, and every webhook message is still sent", async (context) => {
  const rig = await openTriggerRig(context, { ...on, REGISTRY_AUTOMATION_BYTES_MAX: "1048576" });
  const receiver = await openReceiver(rig);
  await startNotifier(rig);
  const { automationOutbox } = rig.registry.database.collections;
  const eventCount = 400;
  await soon(async () => expect((await streamed(rig.connection)).length).toBe(0));
  // The longest names, of three bytes a character, so that few events exceed the stream's size.
  const long = "証".repeat(200);
  const item = issueItem({ product: { title: long, variant: long }, buyer: { name: long, email: "ada@example.test" } });
  for (let round = 0; round < eventCount / 100; round++)
    await rig.registry.issuing.issueCertificates({ items: Array(100).fill(item) }, inStore(receiver.storeId));
  await soon(async () => expect(await automationOutbox.countDocuments()).toBe(0));
  const { streams } = await rig.connection.jetstreamManager();
  const { state } = await streams.info(automationStreamName);
  expect(state.first_seq).toBeGreaterThan(1);
  expect(state.last_seq).toBe(eventCount);
  await soon(() => expect(receiver.requests).toHaveLength(eventCount));
}, 240_000);

test("without REGISTRY_AUTOMATION_EVENTS, no event is written for the stream and the stream does not exist", async (context) => {
  const rig = await openTriggerRig(context, {});
  const storeId = await createTestStore(rig.registry);
  await issue(rig, storeId, 3);
  expect(await rig.registry.database.collections.automationOutbox.countDocuments()).toBe(0);
  const { streams } = await rig.connection.jetstreamManager();
  await expect(streams.info(automationStreamName)).rejects.toThrow("stream not found");
}, 120_000);
