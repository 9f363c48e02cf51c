import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { partitionCount, partitionOf } from "#shared/nats/event-stream.ts";
import { eventually } from "../harness/eventually.ts";
import { freezeProcess } from "../harness/freeze-process.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { metricValues } from "../harness/metric-values.ts";
import { partOf, type StackRegistry, startStack } from "../harness/stack/start-stack.ts";
import { storedEvents } from "../harness/stored-events.ts";
import { createTestStore } from "../harness/test-stores.ts";
import { whenAvailable } from "../harness/when-available.ts";

const stack = await startStack({ name: "frozen-relay", registries: [{}, {}] });
afterAll(() => stack.close());
const [first, second] = [partOf(stack.registries, 0), partOf(stack.registries, 1)];

async function relayed({ metricsUrl }: StackRegistry): Promise<number> {
  return (await metricValues(metricsUrl.replace("/metrics", ""), "registry_relay_partitions"))[""] ?? 0;
}

const divided = async () => expect([await relayed(first), await relayed(second)]).toEqual([8, 8]);

/** One store of each partition. */
async function storeOfEachPartition(): Promise<readonly string[]> {
  const stores = new Map<number, string>();
  while (stores.size < partitionCount) {
    const storeId = await createTestStore(second);
    stores.set(partitionOf(storeId), storeId);
  }
  return [...stores.values()];
}

const change = (storeId: string) => {
  const request = { items: [issueItem(), issueItem()], idempotencyKey: randomUUID() };
  return whenAvailable(() => second.issuing.issueCertificates(request, inStore(storeId)));
};

/** Waits until the stream contains this number of events. @returns each store's certificates in the stream's order */
async function published(count: number) {
  const events = await eventually(async () => {
    const found = await storedEvents(stack.nats.url);
    expect(found).toHaveLength(count);
    return found;
  });
  return Map.groupBy(events, ({ event }) => event.storeId);
}

/** Expects that each store's events are in the stream once, in the order of the store's clock. */
async function expectInOrder(ofStores: Awaited<ReturnType<typeof published>>): Promise<void> {
  for (const [store, events] of ofStores) {
    const certificates = await stack.collections.certificates.find({ store }).sort({ updatedAt: 1 }).toArray();
    expect(events.map(({ event }) => event.certificateId)).toEqual(certificates.map(({ _id }) => _id));
  }
}

test("the partitions of a registry that is frozen for ten seconds, and then killed, are relayed by the other once their leases end", {
  timeout: 400_000,
}, async () => {
  await eventually(divided);
  const stores = await storeOfEachPartition();
  {
    using _frozen = await freezeProcess(first.process.pid);
    const frozenAt = performance.now();
    await Promise.all(stores.map(change));
    await expectInOrder(await published(2 * partitionCount));
    await eventually(async () => expect(await relayed(second)).toBe(partitionCount));
    await eventually(() => expect(performance.now() - frozenAt).toBeGreaterThan(10_000));
  }
  await eventually(divided);
  await Promise.all(stores.map(change));
  await expectInOrder(await published(4 * partitionCount));

  await first.process.kill();
  await Promise.all(stores.map(change));
  await expectInOrder(await published(6 * partitionCount));
  await eventually(async () => expect(await relayed(second)).toBe(partitionCount));
});
