import { expect, onTestFinished, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { interruptedOutcome, unsentOutcome } from "../../services/registry/deliveries/claim-state.ts";
import { outcomeKinds } from "../../services/registry/deliveries/delivery.ts";
import { MongoDeliveries } from "../../services/registry/mongo/deliveries/mongo-deliveries.ts";
import { createSecretBox } from "../../services/registry/secrets/secret-box.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { issueMany } from "../harness/issue-items.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openTestOutbox, outboxDocument } from "../harness/outbox-fixture.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { openRelayTestRig } from "../harness/relay-test-rig.ts";
import { newClaim } from "../harness/signed-with.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createStoreWithWebhook, createTestStore } from "../harness/test-stores.ts";

const hourMs = 3_600_000;

async function pipelineOf({ operationsUrl }: TestRegistry) {
  const read = async (name: string) => (await metricValues(operationsUrl, name))[""];
  return {
    partitions: await read("registry_relay_partitions"),
    out: await read("registry_relay_events_out"),
    waiting: await read("registry_relay_stores_waiting"),
    age: await read("registry_outbox_oldest_age_seconds"),
  };
}

async function outcomesOf({ operationsUrl }: TestRegistry) {
  const values = await metricValues(operationsUrl, "registry_webhook_outcomes_total");
  return Object.fromEntries(Object.entries(values).map(([label, value]) => [/"(\w+)"/.exec(label)?.[1], value]));
}

test("an outcome counts once, even if two replicas record it in the same millisecond", async () => {
  const database = await openTestDatabase(onTestFinished);
  const recorded: string[] = [];
  const [one, other] = [0, 1].map(
    () =>
      new MongoDeliveries({
        collections: database.collections,
        box: createSecretBox([new Uint8Array(32)]),
        clock: { ...systemClock, now: () => 1_700_000_000_000 },
        onSettled: () => undefined,
        onRecorded: (kinds) => recorded.push(...kinds),
      }),
  );
  const event = { eventId: "evt_1", storeId: "sto_1", certificateId: "crt_1", type: EventType.ISSUED };
  const request = { ...event, requestedBy: "", queuedAt: undefined, attemptToken: "" };
  await one?.claim([request], { claimedBy: "notifier", claimedAt: new Date() });
  const outcome = unsentOutcome("evt_1", interruptedOutcome);
  for (const records of [one, other, one]) expect(await records?.settle([outcome])).toEqual(new Set(["evt_1"]));
  expect(recorded).toEqual(["interrupted"]);
});

const none = Object.fromEntries([...outcomeKinds, "unknown"].map((kind) => [kind, 0]));

test("reports in-flight events and waiting stores in the replica that relays them, and the oldest event's age in one replica", async (context) => {
  const rig = await openRelayTestRig(context);
  const registries = [await rig.startRegistry(2), await rig.startRegistry(2)] as const;
  await rig.whenRelaying(registries, [8, 8]);
  const idle = { partitions: 8, out: 0, waiting: 0 };
  /** Returns the figures of both replicas: first those of the replica that reports an age. */
  const pipelines = async () => {
    const read = await Promise.all(registries.map(pipelineOf));
    return read.toSorted(({ age: one = -1 }, { age: other = -1 }) => other - one);
  };
  await eventually(async () =>
    expect(await pipelines()).toEqual([
      { ...idle, age: 0 },
      { ...idle, age: undefined },
    ]),
  );

  const [, other] = registries;
  const storeId = await createTestStore(other);
  await issueMany(other, storeId, 5);
  const events = await rig.published(2);
  const busy = async () => {
    const figures = await pipelines();
    expect(figures.filter(({ out, waiting }) => out === 2 && waiting === 1)).toHaveLength(1);
    expect(figures.filter(({ out, waiting }) => out === 0 && waiting === 0)).toHaveLength(1);
    expect(figures[1]?.age).toBeUndefined();
    return figures[0]?.age ?? 0;
  };
  const age = await eventually(busy);
  expect(age).toBeGreaterThan(0);
  await eventually(async () => expect(await busy()).toBeGreaterThan(age + 0.1));

  await rig.settle(other, events);
  await rig.settle(other, (await rig.published(4)).slice(2));
  await rig.settle(other, (await rig.published(5)).slice(4));
  await eventually(async () =>
    expect(await pipelines()).toEqual([
      { ...idle, age: 0 },
      { ...idle, age: undefined },
    ]),
  );
  expect(await outcomesOf(other)).toEqual({ ...none, skipped: 5 });
});

test("serves metrics soon, without the oldest event's age, while the database hangs", async (context) => {
  const rig = await openRelayTestRig(context);
  const { host } = new URL(rig.database.uri);
  const proxy = await startCutProxy(host, context.onTestFinished);
  const database = { ...rig.database, uri: rig.database.uri.replace(host, proxy.address) };
  const registry = await openTestRegistry({ database, natsUrl: rig.nats.url }, context.onTestFinished);
  await eventually(async () => expect((await pipelineOf(registry)).age).toBe(0));

  proxy.loseReplies();
  const askedAt = performance.now();
  const age = await metricValues(registry.operationsUrl, "registry_outbox_oldest_age_seconds");
  // Without a time limit of its own, the read would last as long as the time limit of its connection: 30 s.
  expect(performance.now() - askedAt).toBeLessThan(20_000);
  expect(age).toEqual({});
  proxy.heal();
  await eventually(async () => expect((await pipelineOf(registry)).age).toBe(0));
});

test.each([
  ["the store's clock is an hour ahead", hourMs, 0],
  ["the replica's clock is an hour late", 0, -hourMs],
])("reports the age of the oldest event by the database's clock, although %s", async (_name, storeMs, replicaMs) => {
  const database = await openTestDatabase(onTestFinished);
  const { url: natsUrl } = await startTestNats(onTestFinished);
  const clock = { ...systemClock, now: () => systemClock.now() + replicaMs };
  const registry = await openTestRegistry({ database, natsUrl, overrides: { clock } }, onTestFinished);
  const storeId = await createTestStore(registry);
  await database.collections.stores.updateOne({ _id: storeId }, { $set: { clock: new Date(Date.now() + storeMs) } });
  await issueMany(registry, storeId, 1);
  await eventually(async () => expect((await pipelineOf(registry)).age).toBeGreaterThan(0));
});

test("finds the oldest event, whether or not it is marked as taken", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  const outbox = openTestOutbox(database);
  expect(await outbox.oldestAt()).toBeUndefined();
  const put = (name: string, second: number, taken?: true) =>
    database.collections.outbox.insertOne({
      ...outboxDocument(name, "sto_1", new Date(second * 1_000)),
      ...(taken && { taken }),
    });
  await put("evt_new", 3);
  expect(await outbox.oldestAt()).toEqual(new Date(3_000));
  await put("evt_taken", 2, true);
  expect(await outbox.oldestAt()).toEqual(new Date(2_000));
  await put("evt_old", 1);
  expect(await outbox.oldestAt()).toEqual(new Date(1_000));
});

test("counts each outcome once, in the registry that stored it first", async (context) => {
  const first = await openTestRegistry({}, context.onTestFinished);
  const second = await openTestRegistry({ database: first.database }, context.onTestFinished);
  expect(await outcomesOf(first)).toEqual(none);

  const { storeId } = await createStoreWithWebhook(first);
  const claims = ["evt_refused", "evt_dead"].map((eventId) => ({ ...newClaim(storeId), eventId }));
  const claim = ({ notifier }: TestRegistry) => notifier.claimDeliveries({ notifierId: "test", claims });
  const record = ({ notifier }: TestRegistry, kind: OutcomeKind) =>
    notifier.recordOutcomes({ outcomes: [{ eventId: "evt_refused", kind }] });
  await claim(first);
  await record(first, OutcomeKind.REFUSED);
  await record(second, OutcomeKind.REFUSED);
  expect([await outcomesOf(first), await outcomesOf(second)]).toEqual([{ ...none, refused: 1 }, none]);

  const longAgo = new Date(Date.now() - 61_000);
  await first.database.collections.deliveries.updateOne({ _id: "evt_dead" }, { $set: { claimedAt: longAgo } });
  await claim(second);
  await claim(first);
  expect(await outcomesOf(first)).toEqual({ ...none, refused: 1 });
  expect(await outcomesOf(second)).toEqual({ ...none, interrupted: 1 });
});

test("counts only the new outcomes of a batch", async (context) => {
  const registry = await openTestRegistry({}, context.onTestFinished);
  const { notifier } = registry;
  const { storeId } = await createStoreWithWebhook(registry);
  const eventIds = ["evt_a", "evt_b"];
  const claims = eventIds.map((eventId) => ({ ...newClaim(storeId), eventId }));
  await notifier.claimDeliveries({ notifierId: "test", claims });
  await notifier.recordOutcomes({ outcomes: [{ eventId: "evt_a", kind: OutcomeKind.TIMEOUT }] });
  const kind = OutcomeKind.DELIVERED;
  await notifier.recordOutcomes({
    outcomes: [...eventIds, "evt_unknown"].map((eventId) => ({ eventId, kind })),
  });
  expect(await outcomesOf(registry)).toEqual({ ...none, timeout: 1, delivered: 1 });
});
