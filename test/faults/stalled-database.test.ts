import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { Counter } from "../checks/runner/counter.ts";
import { eventually } from "../harness/eventually.ts";
import { freezeProcess } from "../harness/freeze-process.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { pathOf } from "../harness/receiver/behaviour.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import { createTestStore } from "../harness/test-stores.ts";

const storeCount = 8;
const eventsPerStore = 60;
const eventCount = storeCount * eventsPerStore;
// A notifier's call to the registry times out after 5 s.
const stallMs = 7_000;

const stack = await startStack({
  name: "stalled-database",
  logLevel: "warn",
  registries: [{}, {}],
  notifiers: [{}, {}],
  receiverSeed: 1,
  callTimeoutMs: 30_000,
});
afterAll(() => stack.close());

test("loses no message and sends none twice when the database stalls for longer than the time limit of a claim call", {
  timeout: 400_000,
}, async () => {
  const { collections, receiver, database } = stack;
  if (receiver === undefined || database === undefined) throw new Error("the stack is incomplete");
  const registry = partOf(stack.registries);
  const stores = await Promise.all(Array.from({ length: storeCount }, () => createTestStore(registry)));
  for (const storeId of stores)
    await registry.admin.setWebhook({ url: `${receiver.url}${pathOf("answers", storeId)}` }, inStore(storeId));
  const items = Array.from({ length: eventsPerStore }, () => issueItem());
  // A transaction that the stalls interrupt is refused; with the same key, it takes effect once.
  const issue = async (storeId: string) => {
    const request = { items, idempotencyKey: randomUUID() };
    await eventually(() => registry.issuing.issueCertificates(request, inStore(storeId)), { withinMs: 120_000 });
  };
  const issuing = Promise.all(stores.map(issue));

  for (const share of [0.1, 0.4, 0.7]) {
    const reached = share * eventCount;
    const settled = () => collections.deliveries.countDocuments({ outcome: { $ne: null } });
    await eventually(async () => expect(await settled()).toBeGreaterThan(reached), { everyMs: 5 });
    using _frozen = await freezeProcess(database.process.pid);
    await delay(stallMs);
  }
  await issuing;

  await eventually(
    async () => {
      expect(await collections.outbox.countDocuments()).toBe(0);
      expect(await collections.deliveries.countDocuments()).toBe(eventCount);
    },
    { withinMs: 120_000, everyMs: 250 },
  );
  const deliveries = await collections.deliveries.find().toArray();
  const outcomes = Counter.of(deliveries.map(({ outcome }) => outcome?.kind ?? "none"));
  expect(String(outcomes)).toBe(`delivered ${eventCount}`);
  const received = (await receiver.requests()).map(({ headers }) => headers.get("x-service-delivery"));
  expect(received.toSorted()).toEqual(deliveries.map(({ _id }) => _id).toSorted());
});
