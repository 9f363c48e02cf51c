import { expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, orderItems } from "../harness/issue-items.ts";
import { runCertctlWith } from "../harness/run-certctl.ts";
import { createStoreClient, openProcessStack } from "../harness/stack/process-stack.ts";

const stack = await openProcessStack();
const { storeId, client } = await createStoreClient(stack);
await stack.receiveWebhooksOf(storeId);

test("sends one signed message for each issued certificate, with the same certificate JSON as the list, and none for a sample or a repeated order", async () => {
  await stack.issuing.createSamples({ products: [{ title: "Sample" }] }, inStore(storeId));
  const items = [...orderItems(24), issueItem({ buyer: { name: "Zoë 🎨", email: "zoe@example.com" } })];
  await stack.issuing.issueCertificates({ items }, inStore(storeId));
  await stack.issuing.issueCertificates({ items: orderItems(24) }, inStore(storeId));

  const received = await eventually(async () => {
    const messages = await stack.received();
    expect(messages.length).toBeGreaterThanOrEqual(items.length);
    return messages;
  });
  expect(received).toHaveLength(items.length);
  expect(new Set(received.map(({ deliveryId }) => deliveryId)).size).toBe(items.length);
  expect(received.every(({ verified }) => verified)).toBe(true);

  const body = await (await client.fetch("limit=100")).text();
  const { store } = await stack.admin.getStore({}, inStore(storeId));
  for (const { message, body: raw } of received) {
    const start = `{"version":2,"event":"issued","shop":"${store?.shop}","occurredAt":"${message.certificate.updatedAt}","certificate":`;
    expect(raw.startsWith(start)).toBe(true);
    // Compared as text, because the list and the message must contain the same bytes.
    expect(body).toContain(raw.slice(start.length, -1));
  }
});

test("certctl sends a test message and a redelivery once each and prints their outcomes", async () => {
  const before = await stack.received();
  const eventId = before[0]?.deliveryId ?? "";
  const global = ["--registry", stack.registryAddress, "--store", storeId];
  const certctl = (...args: string[]) => runCertctlWith(stack.certctlVariables, ...global, ...args);
  const tested = await certctl("webhook", "test");
  const again = await certctl("event", "redeliver", eventId);
  for (const { code, out, error } of [tested, again]) {
    expect([code, error]).toEqual([0, expect.stringMatching(/^target: .*\n$/)]);
    expect(out).toMatch(/^\S+Z {2}(tst|agn)_\w+ .* delivered .*\n/);
    expect(out).toContain("    Requested by ");
  }
  const sent = (await stack.received()).filter(({ deliveryId }) => !deliveryId.startsWith("evt_"));
  expect(sent.map(({ message, isTest }) => [message.certificate.id.slice(0, 4), isTest]).sort()).toEqual([
    ["crt_", false],
    ["smp_", true],
  ]);
  expect((await stack.received()).filter(({ isTest }) => isTest)).toHaveLength(1);
  expect(sent.every(({ verified }) => verified)).toBe(true);
  expect(await stack.received()).toHaveLength(before.length + 2);
  expect(await certctl("event", "redeliver", "evt_none")).toMatchObject({ code: 3, out: "" });
});
