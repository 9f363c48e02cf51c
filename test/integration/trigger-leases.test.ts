import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { TriggerLease } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { TriggerDeliveryState } from "#gen/registry/v1/trigger_service_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { isLeased, MongoLeases } from "../../services/registry/mongo/leases/mongo-leases.ts";
import { followClock } from "../../services/registry/mongo/triggers/follow-clock.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { testWebhookUrl } from "../harness/test-stores.ts";
import { history, issue, issueWithHistory, soon } from "./notifier-rig.ts";
import { addTrigger, createStoreWithTrigger } from "./trigger-rig.ts";

const registry = await openTestRegistry();
const url = testWebhookUrl;

const claim = async (limit = 100) =>
  (await registry.triggerDeliveries.claimTriggerDeliveries({ notifierId: "test", limit })).leases;

const resultOf = ({ deliveryId, leaseToken }: TriggerLease, kind = OutcomeKind.DELIVERED) => ({
  deliveryId,
  leaseToken,
  outcome: { kind },
});

const record = (lease: TriggerLease, kind?: OutcomeKind) =>
  registry.triggerDeliveries.recordTriggerAttempts({ attempts: [resultOf(lease, kind)] });

const eventOf = ({ event }: TriggerLease) => fromBinary(CertificateEventSchema, event);

/** Returns the leases of one trigger. A claim also returns leases of other tests' triggers. */
const ofTrigger = (leases: readonly TriggerLease[], triggerId: string) =>
  leases.filter((lease) => lease.triggerId === triggerId);

/** Ends the leases of a trigger's events, as if their time had passed. */
async function endLeases(trigger: string): Promise<void> {
  const { triggers, triggerDeliveries } = registry.database.collections;
  const past = 1;
  const ended = { "lease.until": past, dueAt: new Date(past) };
  await triggerDeliveries.updateMany({ trigger, ...isLeased }, { $set: ended });
  await triggers.updateOne({ _id: trigger }, { $set: { "leases.$[].until": past, dueAt: past } });
}

async function statesOf(storeId: string) {
  const { deliveries } = await registry.triggers.listTriggerDeliveries({ limit: 100 }, inStore(storeId));
  return deliveries.map(({ state }) => TriggerDeliveryState[state]);
}

test("leases a certificate's next event only once the earlier one is settled", async () => {
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  await issueWithHistory({ registry }, storeId);
  for (const type of history) {
    const leases = await soon(async () => {
      const found = ofTrigger(await claim(), triggerId);
      expect(found).toHaveLength(1);
      return found;
    });
    const [lease] = leases;
    if (lease === undefined) throw new Error("no lease");
    expect(ofTrigger(await claim(), triggerId)).toEqual([]);
    expect(history[eventOf(lease).type - 1]).toBe(type);
    await record(lease);
  }
  expect(await statesOf(storeId)).toEqual(history.map(() => "DELIVERED"));
});

/** Leases the event of a new store's trigger, and leases it again when that lease has ended. */
async function leaseTwice() {
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  await issue({ registry }, storeId);
  const [first] = ofTrigger(await claim(), triggerId);
  await endLeases(triggerId);
  const [second] = ofTrigger(await claim(), triggerId);
  if (first === undefined || second === undefined) throw new Error("no lease");
  return { storeId, triggerId, first, second };
}

test("leases an event again when its lease has ended, and ignores the result of the first attempt", async () => {
  const { storeId, first, second } = await leaseTwice();
  expect([first.attempt, second.attempt]).toEqual([1, 2]);
  expect(second.leaseToken).not.toBe(first.leaseToken);
  await record(first);
  expect(await statesOf(storeId)).toEqual(["WAITING"]);
  await record(second);
  await record(second);
  expect(await statesOf(storeId)).toEqual(["DELIVERED"]);
});

test.each(["first", "last"])(
  "of two results of an event in one report, only that of its latest lease counts, which comes %s",
  async (place) => {
    const { storeId, triggerId, first, second } = await leaseTwice();
    const attempts = [resultOf(second), resultOf(first, OutcomeKind.TIMEOUT)];
    if (place === "last") attempts.reverse();
    await registry.triggerDeliveries.recordTriggerAttempts({ attempts });
    expect(await statesOf(storeId)).toEqual(["DELIVERED"]);
    expect(await registry.database.collections.triggers.findOne({ _id: triggerId })).toMatchObject({
      failures: 0,
      leases: [],
    });
  },
);

test("bounds the events in flight per trigger and per store, and allows a failing trigger only one", async () => {
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  for (let count = 0; count < 3; count++) await addTrigger({ registry }, storeId, { url });
  await issue({ registry }, storeId, 20);
  const ofStore = (leases: readonly TriggerLease[]) => leases.filter((lease) => eventOf(lease).storeId === storeId);
  const leases = ofStore(await claim());
  expect(leases).toHaveLength(8);
  expect(Math.max(...[...Map.groupBy(leases, ({ triggerId: id }) => id).values()].map(({ length }) => length))).toBe(4);
  expect(ofStore(await claim())).toEqual([]);

  const { triggers } = await registry.triggers.listTriggers({}, inStore(storeId));
  for (const other of triggers)
    if (other.triggerId !== triggerId)
      await registry.triggers.deleteTrigger({ triggerId: other.triggerId }, inStore(storeId));
  await endLeases(triggerId);
  const [failing] = ofStore(await claim());
  if (failing === undefined) throw new Error("no lease");
  await record(failing, OutcomeKind.TIMEOUT);
  await endLeases(triggerId);
  // First, the trigger's pause of about a second must end.
  const next = await soon(async () => {
    const found = ofStore(await claim());
    expect(found.length).toBeGreaterThan(0);
    return found;
  });
  expect(next).toHaveLength(1);
});

test("leases no event twice under concurrent claims", async () => {
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  await issue({ registry }, storeId, 30);
  const claims = await Promise.all(Array.from({ length: 6 }, () => claim()));
  const ids = ofTrigger(claims.flat(), triggerId).map(({ deliveryId }) => deliveryId);
  expect(ids.length).toBeGreaterThan(0);
  expect(new Set(ids).size).toBe(ids.length);
});

const hourMs = 3_600_000;

test("events of a store whose clock is an hour ahead are due at once, the next one as soon as the first is settled", async () => {
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  const { stores } = registry.database.collections;
  await stores.updateOne({ _id: storeId }, { $set: { clock: new Date(Date.now() + hourMs) } });
  await issueWithHistory({ registry }, storeId);
  for (const type of history) {
    const [lease, ...more] = ofTrigger(await claim(), triggerId);
    if (lease === undefined) throw new Error(`no lease for ${type}`);
    expect(more).toEqual([]);
    expect(history[eventOf(lease).type - 1]).toBe(type);
    await record(lease);
  }
});

test("a replica that pauses before it looks for a set-back of the database's clock shortens no lease", async () => {
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  await issue({ registry }, storeId);
  expect(ofTrigger(await claim(), triggerId)).toHaveLength(1);
  const { collections } = registry.database;
  const stored = async () => ({
    leases: (await collections.triggers.findOne({ _id: triggerId }))?.leases,
    dueAt: (await collections.triggerDeliveries.findOne({ trigger: triggerId }))?.dueAt,
  });
  const before = await stored();
  const leases = new MongoLeases(collections.triggerDeliveries, 60_000);
  const stale = { now: Date.now() - 11_000, databaseTime: () => "$$NOW" as const, leases };
  await followClock(collections, { ...stale, timeLimitMs: 4_000 });
  expect(await stored()).toEqual(before);
});

test("a test and the events of an enabled trigger are due at once, although the replica's clock is an hour ahead", async () => {
  const clock = { now: () => systemClock.now() + hourMs, sleep: systemClock.sleep };
  const replica = await openTestRegistry({ database: registry.database, overrides: { clock } });
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  await issue({ registry }, storeId);
  await registry.triggers.disableTrigger({ triggerId }, inStore(storeId));
  await replica.triggers.enableTrigger({ triggerId }, inStore(storeId));
  const [enabled] = ofTrigger(await claim(), triggerId);
  if (enabled === undefined) throw new Error("the event is not due");
  await record(enabled);
  await replica.triggers.testTrigger({ triggerId }, inStore(storeId));
  expect(ofTrigger(await claim(), triggerId)).toHaveLength(1);
});
