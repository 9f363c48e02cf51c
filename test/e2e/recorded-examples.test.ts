import { createHash } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { caseEntries } from "../harness/lifecycle-cases.ts";
import type { ReceivedMessage } from "../harness/receiver/received-messages.ts";
import { createStoreClient, openProcessStack } from "../harness/stack/process-stack.ts";

// The examples of the API description: messages and a list page of a running stack, in which fixed values replace the
// ids, the times and the cursor.
const recording = "../../services/edge/openapi/recorded-examples.json";

const issuedTime = "2026-03-01T12:00:00.000Z";
const testMessageTime = "2026-02-27T10:30:00.000Z";
const certificateIdShown = "crt_8k2m4n6p8q0r2s4t6v8w0x2y";
const linkTokenShown = "5x1q8d0m2k7v9c3h6t4n0b8r2p";
const sampleIdShown = "smp_3c5e7g9j1m3p5r7t9w1y3a5c";

const stack = await openProcessStack();
const registry = stack.connect();

/** Performs an action that sends one message. @returns the message */
async function messageOf(action: () => Promise<unknown>): Promise<ReceivedMessage> {
  const before = (await stack.received()).length;
  await action();
  const received = await eventually(async () => {
    const messages = await stack.received();
    expect(messages).toHaveLength(before + 1);
    return messages;
  });
  const message = received.at(-1);
  if (message === undefined || !message.verified) throw new Error("the receiver received no genuine message");
  return message;
}

/**
 * Creates a store with 41 certificates, 6 of them from an edition of 50. The edition's next certificate gets serial 42
 * and edition number 7/50.
 */
async function createStore() {
  const { storeId, client } = await createStoreClient(stack, {
    shop: "linden-press.example",
    verifyBaseUrl: "https://verify.example",
  });
  const variants = [{ sku: "AJ-M-B", title: "M / Blue" }];
  await registry.admin.putProducts(
    {
      products: [{ id: "7001", title: "Alpine Jacket", variants, editionTotal: 50 }],
    },
    inStore(storeId),
  );
  const items = Array.from({ length: 41 }, (_, index) => issueItem({ product: { sku: index < 6 ? "AJ-M-B" : "" } }));
  await registry.issuing.issueCertificates({ items }, inStore(storeId));
  // Events still in the outbox when the webhook is set would be sent to it.
  const { outbox } = stack.database.collections;
  await eventually(async () => expect(await outbox.countDocuments()).toBe(0));
  await stack.receiveWebhooksOf(storeId);
  return { storeId, client };
}

/** Returns a fixed string with the length and the alphabet of a real cursor. */
function cursorShown(cursor: string): string {
  expect(cursor).toMatch(/^[\w-]+$/);
  return createHash("shake256", { outputLength: cursor.length })
    .update("cursor")
    .digest("base64url")
    .slice(0, cursor.length);
}

/** Issues another certificate to the owner of the first, so that a page of one has a cursor. @returns that page */
async function pageOfTwo(storeId: string, client: Awaited<ReturnType<typeof createStore>>["client"], item: object) {
  const buyer = { name: "Ben Example", email: "ben@example.com" };
  // The message about it is not an example.
  await messageOf(() => issueOne(registry, storeId, { ...item, buyer, order: { unit: 2 } }));
  return (await client.fetch("email=ben%40example.com&limit=1")).text();
}

test("the examples in the API description equal real messages and a real list page, apart from ids, times and the cursor", async () => {
  const { storeId, client } = await createStore();
  const item = {
    product: { sku: "AJ-M-B" },
    buyer: { name: "Ada Example", email: "ada@example.com" },
    order: { id: "4500001", name: "#1001", line: "1", unit: 1 },
    expiresAt: timestampFromDate(new Date("2031-03-01T12:00:00.000Z")),
  };
  const issued = await messageOf(() => issueOne(registry, storeId, item));
  const { id: certificateId } = issued.message.certificate;
  const linkToken = new URL(String(issued.message.certificate.verifyUrl)).pathname.slice(1);
  const { deliveries, admin } = registry;
  const inV2 = new Map([["issued", issued]]);
  let page = "";
  for (const [name, operation] of caseEntries) {
    const call = { storeId, certificateId };
    inV2.set(operation.event.toLowerCase(), await messageOf(() => operation.send(registry, call)));
    if (name === "transfer") page = await pageOfTwo(storeId, client, item);
  }
  const revokedId = inV2.get("revoked")?.deliveryId ?? "";
  const redelivery = await messageOf(() => deliveries.redeliverEvent({ eventId: revokedId }, inStore(storeId)));
  const testMessage = await messageOf(() => deliveries.sendTestMessage({}, inStore(storeId)));
  const { url = "" } = (await admin.getWebhook({}, inStore(storeId))).webhook ?? {};
  await admin.setWebhook({ url, format: WebhookFormat.V1 }, inStore(storeId));
  const inV1: Record<string, string> = {};
  for (const name of ["issued", "verified", "transferred", "reported"] as const) {
    const eventId = inV2.get(name)?.deliveryId ?? "";
    inV1[name] = (await messageOf(() => deliveries.redeliverEvent({ eventId }, inStore(storeId)))).body;
  }

  const shown = new Map<string, string>([
    [certificateId, certificateIdShown],
    [linkToken, linkTokenShown],
    [testMessage.message.certificate.id, sampleIdShown],
    [testMessage.message.occurredAt, testMessageTime],
    [issued.message.occurredAt, issuedTime],
    ...caseEntries.map(([, { event, recordedAt }]): [string, string] => [
      inV2.get(event.toLowerCase())?.message.occurredAt ?? event,
      recordedAt,
    ]),
  ]);
  const { next_cursor: cursor } = JSON.parse(page);
  shown.set(String(cursor), cursorShown(String(cursor)));
  const example = (text: string): unknown =>
    JSON.parse([...shown].reduce((replaced, [real, fixed]) => replaced.replaceAll(real, fixed), text));
  const bodies = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, example(text)]));
  const recorded = {
    v2: bodies(Object.fromEntries([...inV2].map(([name, { body }]) => [name, body]))),
    v1: bodies(inV1),
    redelivery: example(redelivery.body),
    test: example(testMessage.body),
    page: example(page),
  };
  // A difference means that the service has changed its format: if this is intended, record again with `vitest -u`.
  await expect(`${JSON.stringify(recorded, undefined, 2)}\n`).toMatchFileSnapshot(recording);
});
