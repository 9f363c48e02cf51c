import { createHash } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { eventually } from "../harness/eventually.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import type { ReceivedMessage } from "../harness/receiver/received-messages.ts";
import { createStoreClient, openProcessStack } from "../harness/stack/process-stack.ts";

// The examples of the API description: messages and a list page of a running stack, in which fixed values replace the
// ids, the times and the cursor.
const recording = "../../services/edge/openapi/recorded-examples.json";

/** The times of the events in the examples, in the order in which the test causes the events. */
const eventTimes = {
  issued: "2026-03-01T12:00:00.000Z",
  verified: "2026-03-08T17:21:09.412Z",
  transferred: "2026-04-05T06:07:08.009Z",
  reported: "2026-04-12T18:40:27.655Z",
  revoked: "2026-04-14T09:15:30.120Z",
  reactivated: "2026-04-20T08:02:44.731Z",
} as const;
const events = Object.keys(eventTimes) as (keyof typeof eventTimes)[];
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
  const received = await eventually(
    async () => {
      const messages = await stack.received();
      expect(messages).toHaveLength(before + 1);
      return messages;
    },
    { withinMs: 20_000 },
  );
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
  await registry.admin.putProducts({
    storeId,
    products: [{ id: "7001", title: "Alpine Jacket", variants, editionTotal: 50 }],
  });
  const items = Array.from({ length: 41 }, (_, index) => issueItem({ product: { sku: index < 6 ? "AJ-M-B" : "" } }));
  await registry.issuing.issueCertificates({ storeId, items });
  // Events still in the outbox when the webhook is set would be sent to it.
  const { outbox } = stack.database.collections;
  await eventually(async () => expect(await outbox.countDocuments()).toBe(0), { withinMs: 20_000 });
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

test("the examples in the API description equal real messages and a real list page, apart from ids, times and the cursor", {
  timeout: 120_000,
}, async () => {
  const { storeId, client } = await createStore();
  const item = {
    product: { sku: "AJ-M-B" },
    buyer: { name: "Ada Example", email: "ada@example.com" },
    order: { id: "4500001", name: "#1001", line: "1", unit: 1 },
    expiresAt: timestampFromDate(new Date("2031-03-01T12:00:00.000Z")),
  };
  const ben = { newOwnerName: "Ben Example", newOwnerEmail: "ben@example.com" };
  const issued = await messageOf(() => issueOne(registry, storeId, item));
  const { id: certificateId } = issued.message.certificate;
  const linkToken = new URL(String(issued.message.certificate.verifyUrl)).pathname.slice(1);
  const target = { storeId, certificateId };
  const { lifecycle, verification, deliveries, admin } = registry;
  const verified = await messageOf(() => verification.recordVerification({ certificateId }));
  const transferred = await messageOf(() => lifecycle.transferCertificate({ ...target, ...ben }));
  // Another certificate of the same owner, so that the page has a cursor. The message about it is not an example.
  await messageOf(() =>
    issueOne(registry, storeId, {
      ...item,
      buyer: { name: "Ben Example", email: "ben@example.com" },
      order: { unit: 2 },
    }),
  );
  const page = await (await client.fetch("email=ben%40example.com&limit=1")).text();
  const reported = await messageOf(() => verification.reportProblem({ certificateId, content: "The seam is open." }));
  const revoked = await messageOf(() => lifecycle.revokeCertificate({ ...target, cause: RevocationCause.REFUND }));
  const reactivated = await messageOf(() => lifecycle.reactivateCertificate(target));
  const redelivery = await messageOf(() => deliveries.redeliverEvent({ storeId, eventId: revoked.deliveryId }));
  const testMessage = await messageOf(() => deliveries.sendTestMessage({ storeId }));
  const { url = "" } = (await admin.getWebhook({ storeId })).webhook ?? {};
  await admin.setWebhook({ storeId, url, format: WebhookFormat.V1 });
  const inV2 = { issued, verified, transferred, reported, revoked, reactivated };
  const inV1: Record<string, string> = {};
  for (const name of ["issued", "verified", "transferred", "reported"] as const) {
    const { deliveryId: eventId } = inV2[name];
    inV1[name] = (await messageOf(() => deliveries.redeliverEvent({ storeId, eventId }))).body;
  }

  const shown = new Map<string, string>([
    [certificateId, certificateIdShown],
    [linkToken, linkTokenShown],
    [testMessage.message.certificate.id, sampleIdShown],
    [testMessage.message.occurredAt, testMessageTime],
    ...events.map((name): [string, string] => [inV2[name].message.occurredAt, eventTimes[name]]),
  ]);
  const { next_cursor: cursor } = JSON.parse(page);
  shown.set(String(cursor), cursorShown(String(cursor)));
  const example = (text: string): unknown =>
    JSON.parse([...shown].reduce((replaced, [real, fixed]) => replaced.replaceAll(real, fixed), text));
  const bodies = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, example(text)]));
  const recorded = {
    v2: bodies(Object.fromEntries(events.map((name) => [name, inV2[name].body]))),
    v1: bodies(inV1),
    redelivery: example(redelivery.body),
    test: example(testMessage.body),
    page: example(page),
  };
  // A difference means that the service has changed its format: if this is intended, record again with `vitest -u`.
  await expect(`${JSON.stringify(recorded, undefined, 2)}\n`).toMatchFileSnapshot(recording);
});
