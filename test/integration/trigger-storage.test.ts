import { randomBytes } from "node:crypto";
import { Binary, type ClientSession, type CommandStartedEvent, type Document } from "mongodb";
import { expect, onTestFinished, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { TriggerLease } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { TriggerDeliveryState } from "#gen/registry/v1/trigger_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { systemClock } from "#shared/time/clock.ts";
import { phasesOf } from "../../services/registry/deliveries/delivery.ts";
import { queuedEventOf } from "../../services/registry/mongo/documents/trigger-documents.ts";
import { snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { MongoStoreHistory } from "../../services/registry/mongo/stores/mongo-store-history.ts";
import { MongoTriggerQueue } from "../../services/registry/mongo/triggers/mongo-trigger-queue.ts";
import { MongoTriggers } from "../../services/registry/mongo/triggers/mongo-triggers.ts";
import { createSecretBox } from "../../services/registry/secrets/secret-box.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { openKeyFolder } from "../harness/key-files.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createTestStore, testWebhookUrl as url } from "../harness/test-stores.ts";
import { issue, soon } from "./notifier-rig.ts";
import {
  addTrigger,
  createStoreWithTrigger,
  openTriggerRig,
  startTriggerNotifier,
  startTriggerReceiver,
  triggerOf,
} from "./trigger-rig.ts";

const hourMs = 3_600_000;
const openRegistry = () => openTestRegistry({}, onTestFinished);

async function claim({ triggerDeliveries }: TestRegistry) {
  return (await triggerDeliveries.claimTriggerDeliveries({ notifierId: "test", limit: 100 })).leases;
}

async function record(registry: TestRegistry, leases: readonly TriggerLease[], httpStatus: number) {
  const kind = httpStatus < 300 ? OutcomeKind.DELIVERED : OutcomeKind.REFUSED;
  const outcome = { kind, httpStatus, reason: reason("delivered", { status: httpStatus }) };
  const attempts = leases.map(({ deliveryId, leaseToken }) => ({ deliveryId, leaseToken, outcome }));
  await registry.triggerDeliveries.recordTriggerAttempts({ attempts });
}

async function statesOf({ triggers }: TestRegistry, storeId: string, triggerId: string) {
  const { deliveries } = await triggers.listTriggerDeliveries({ triggerId, limit: 100 }, inStore(storeId));
  return deliveries.map(({ state }) => TriggerDeliveryState[state]);
}

async function gauge({ operationsUrl }: TestRegistry, name: string): Promise<number | undefined> {
  return (await metricValues(operationsUrl, name))[""];
}

test("records all results of a batch when one of the triggers was deleted during the attempts", async () => {
  const registry = await openRegistry();
  const deleted = await createStoreWithTrigger({ registry }, { url });
  const other = await createStoreWithTrigger({ registry }, { url });
  await issue({ registry }, deleted.storeId);
  await issue({ registry }, other.storeId);
  const leases = await claim(registry);
  expect(leases).toHaveLength(2);
  const ofDeleted = leases.filter(({ triggerId }) => triggerId === deleted.triggerId);
  const ofOther = leases.filter(({ triggerId }) => triggerId === other.triggerId);
  // As if the deletion had been interrupted before it reached the queue.
  await registry.database.collections.triggers.deleteOne({ _id: deleted.triggerId });
  await record(registry, [...ofDeleted, ...ofOther], 410);
  expect(await statesOf(registry, other.storeId, other.triggerId)).toEqual(["GIVEN_UP"]);
  expect(await statesOf(registry, deleted.storeId, deleted.triggerId)).toEqual(["GIVEN_UP"]);
});

test("counts a trigger as disabled only once when several results would disable it", async () => {
  const registry = await openRegistry();
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  await issue({ registry }, storeId, 3);
  const leases = await claim(registry);
  expect(leases).toHaveLength(3);
  await record(registry, leases, 410);
  expect(await triggerOf({ registry }, storeId, triggerId)).toMatchObject({ enabled: false });
  expect(await gauge(registry, "registry_triggers_disabled_total")).toBe(1);
});

test("the queue's gauges exclude events of disabled triggers and events that an interrupted deletion has left behind", async (context) => {
  // With NATS, because only a leading registry computes the gauges, and a registry cannot lead without NATS.
  const { registry } = await openTriggerRig(context);
  const { triggers, triggerDeliveries } = registry.database.collections;
  const [deleted, disabled, enabled] = await Promise.all(
    [0, 1, 2].map(() => createStoreWithTrigger({ registry }, { url })),
  );
  if (deleted === undefined || disabled === undefined || enabled === undefined) throw new Error("no trigger");
  for (const { storeId } of [deleted, disabled, enabled]) await issue({ registry }, storeId, 2);
  await triggerDeliveries.updateMany({ trigger: deleted.triggerId }, { $set: { at: new Date(Date.now() - hourMs) } });
  await triggers.deleteOne({ _id: deleted.triggerId });
  await registry.triggers.disableTrigger(disabled, inStore(disabled.storeId));
  await soon(async () => expect(await gauge(registry, "registry_trigger_events_waiting")).toBe(2));
  expect(await gauge(registry, "registry_trigger_oldest_age_seconds")).toBeLessThan(hourMs / 2_000);
  expect(await gauge(registry, "registry_triggers_disabled")).toBe(1);
});

test("enabling a trigger restarts the retry horizon of an event that is being sent, so its failure does not disable the trigger", async () => {
  const registry = await openRegistry();
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  await issue({ registry }, storeId);
  const { triggerDeliveries } = registry.database.collections;
  await triggerDeliveries.updateMany({}, { $set: { firstAttemptAt: new Date(Date.now() - 48 * hourMs) } });
  const leases = await claim(registry);
  await registry.triggers.disableTrigger({ triggerId }, inStore(storeId));
  await registry.triggers.enableTrigger({ triggerId }, inStore(storeId));
  await record(registry, leases, 500);
  expect(await triggerOf({ registry }, storeId, triggerId)).toMatchObject({ enabled: true, waitingCount: 1 });
});

test("a trigger whose queue cannot be prepared stays disabled, so that enabling it can be retried", async () => {
  const registry = await openRegistry();
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  await issue({ registry }, storeId);
  await registry.triggers.disableTrigger({ triggerId }, inStore(storeId));
  const { client, collections } = registry.database;
  const { triggerDeliveries } = collections;
  const exhausted = { firstAttemptAt: new Date(Date.now() - 48 * hourMs), attempts: 30 };
  await triggerDeliveries.updateMany({}, { $set: { ...exhausted, dueAt: new Date(Date.now() + hourMs) } });
  const cutOff = new Proxy(triggerDeliveries, {
    get: (target, name) =>
      name === "bulkWrite" ? () => Promise.reject(new Error("cut off")) : Reflect.get(target, name),
  });
  const history = { client, collections, clock: systemClock, onRecorded: () => undefined };
  const triggers = new MongoTriggers({
    collections: { ...collections, triggerDeliveries: cutOff },
    history: new MongoStoreHistory(history),
    box: createSecretBox([randomBytes(32)]),
    clock: systemClock,
  });
  const change = { action: "trigger.enabled" as const, actor: "test", details: {} };
  await expect(triggers.enable(storeId, triggerId, change)).rejects.toThrow("cut off");
  expect(await triggerOf({ registry }, storeId, triggerId)).toMatchObject({ enabled: false });
  await registry.triggers.enableTrigger({ triggerId }, inStore(storeId));
  expect(await triggerDeliveries.findOne({ trigger: triggerId })).toMatchObject({ attempts: 0, firstAttemptAt: null });
});

test("enabling a trigger changes only events that were tried, however many wait", async () => {
  const registry = await openRegistry();
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  await issue({ registry }, storeId, 2);
  const [first, second] = await claim(registry);
  if (first === undefined || second === undefined) throw new Error("nothing is due");
  await record(registry, [first], 500);
  await registry.triggers.disableTrigger({ triggerId }, inStore(storeId));
  const { client, collections } = registry.database;
  const { triggerDeliveries } = collections;
  const found = await triggerDeliveries.findOne({ _id: second.deliveryId });
  if (found === null) throw new Error("no event");
  const { lease: _lease, ...template } = found;
  const count = 20_000;
  const at = Date.now();
  await triggerDeliveries.insertMany(
    Array.from({ length: count }, (_, index) => ({
      ...template,
      _id: `${triggerId}/evt_${index}`,
      certificate: `crt_${index}`,
      at: new Date(at + index),
      attempts: 0,
      firstAttemptAt: null,
      dueAt: new Date(at),
    })),
  );
  const updates: Document[] = [];
  const note = ({ command, commandName }: CommandStartedEvent) => {
    if (commandName === "update" && command["update"] === triggerDeliveries.collectionName)
      updates.push(...command["updates"]);
  };
  client.on("commandStarted", note);
  const triggers = new MongoTriggers({
    collections,
    history: new MongoStoreHistory({ client, collections, clock: systemClock, onRecorded: () => undefined }),
    box: createSecretBox([randomBytes(32)]),
    clock: systemClock,
  });
  await triggers.enable(storeId, triggerId, { action: "trigger.enabled", actor: "test", details: {} });
  client.off("commandStarted", note);
  expect(updates.map(({ q }) => q._id).toSorted()).toEqual([first.deliveryId, second.deliveryId].toSorted());
  const renewed = await triggerDeliveries.findOne({ _id: first.deliveryId });
  expect(renewed).toMatchObject({ attempts: 0, firstAttemptAt: null });
  expect(renewed).not.toHaveProperty("lease");
  expect(renewed?.dueAt?.getTime()).toBeLessThan(Date.now());
  expect(await triggerOf({ registry }, storeId, triggerId)).toMatchObject({ enabled: true, waitingCount: 10_000 });
}, 60_000);

test("an enabled trigger receives all waiting events of a certificate whose first event has left the log", async () => {
  const registry = await openRegistry();
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  const certificateId = await issueOne(registry, storeId);
  await registry.lifecycle.revokeCertificate({ certificateId, reason: "refund", cause: 1 }, inStore(storeId));
  await registry.lifecycle.reactivateCertificate({ certificateId }, inStore(storeId));
  await registry.triggerDeliveries.claimTriggerDeliveries({ notifierId: "test", limit: 1 });
  await registry.triggers.disableTrigger({ triggerId }, inStore(storeId));
  const { triggerDeliveries } = registry.database.collections;
  const [head, ...others] = (await triggerDeliveries.find().sort({ at: 1 }).toArray()).map(({ _id }) => _id);
  await triggerDeliveries.deleteOne({ _id: head ?? "" });
  await registry.triggers.enableTrigger({ triggerId }, inStore(storeId));
  // The lease of the event that has left the log still occupies a slot of the trigger.
  const received: string[] = [];
  for (let attempt = 0; attempt < 2; attempt++) {
    const leases = await claim(registry);
    received.push(...leases.map(({ deliveryId }) => deliveryId));
    await record(registry, leases, 204);
  }
  expect(received).toEqual(others);
});

/** Does what a claim does first, in a registry that has just started. */
async function admit({ client, collections }: TestRegistry["database"]): Promise<void> {
  const readSnapshot = snapshotReader(client);
  const box = createSecretBox([randomBytes(32)]);
  const deps = { client, collections, readSnapshot, box, clock: systemClock, leaseLifeMs: 60_000 };
  await new MongoTriggerQueue(deps).admit(10_000);
}

test("gives an event up that waits for another attempt until a day before the log deletes it, keeps its last attempt, and sends the certificate's next event", async () => {
  const registry = await openRegistry();
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  const certificateId = await issueOne(registry, storeId);
  await registry.lifecycle.revokeCertificate({ certificateId, reason: "refund", cause: 1 }, inStore(storeId));
  const { triggers, triggerDeliveries } = registry.database.collections;
  // The next event waits behind the first, which a receiver refuses and which is then in backoff.
  await record(registry, await claim(registry), 400);
  const [head, next] = await triggerDeliveries.find().sort({ at: 1 }).toArray();
  const [at, dueAt] = [new Date(Date.now() - 29 * 24 * hourMs), new Date(Date.now() + hourMs)];
  await triggerDeliveries.updateOne({ _id: head?._id ?? "" }, { $set: { at, dueAt } });
  await triggers.updateOne({ _id: triggerId }, { $set: { failures: 0, pausedUntil: null } });
  await admit(registry.database);
  expect((await claim(registry)).map(({ deliveryId }) => deliveryId)).toEqual([next?._id]);
  const { deliveries } = await registry.triggers.listTriggerDeliveries({ triggerId, limit: 100 }, inStore(storeId));
  expect(deliveries).toMatchObject([
    { state: TriggerDeliveryState.WAITING },
    { state: TriggerDeliveryState.GIVEN_UP, lastAttempt: { httpStatus: 400 } },
  ]);
});

test("skips an event that waits for one that the log has deleted, as after it was shortened, and sends the certificate's next event", async () => {
  const registry = await openRegistry();
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  const certificateId = await issueOne(registry, storeId);
  const { lifecycle, database } = registry;
  for (const newOwnerName of ["Bo", "Cy"])
    await lifecycle.transferCertificate(
      { certificateId, newOwnerName, newOwnerEmail: "new@example.test" },
      inStore(storeId),
    );
  await claim(registry);
  const { triggers, triggerDeliveries } = database.collections;
  const [head, second, third] = await triggerDeliveries.find().sort({ at: 1 }).toArray();
  await triggerDeliveries.deleteOne({ _id: head?._id ?? "" });
  await triggers.updateOne({ _id: triggerId }, { $set: { leases: [] } });
  const at = new Date(Date.now() - 29 * 24 * hourMs);
  await triggerDeliveries.updateOne({ _id: second?._id ?? "" }, { $set: { at } });
  expect(await claim(registry)).toEqual([]);
  await admit(database);
  expect((await claim(registry)).map(({ deliveryId }) => deliveryId)).toEqual([third?._id]);
  const { deliveries } = await registry.triggers.listTriggerDeliveries({ triggerId, limit: 100 }, inStore(storeId));
  expect(deliveries).toMatchObject([
    { state: TriggerDeliveryState.WAITING },
    { state: TriggerDeliveryState.SKIPPED, lastAttempt: { reason: reason("message_expired", { days: 29 }) } },
  ]);
});

test("loses no secret of a trigger when resealing and rotation run concurrently", async () => {
  const keys = await openKeyFolder(onTestFinished);
  const [oldKey, newKey] = [await keys.write("old"), await keys.write("new")];
  const database = await openTestDatabase(onTestFinished);
  const registryWith = (...files: string[]) =>
    openTestRegistry({ database, env: { REGISTRY_SECRET_KEY_FILES: files.join() } }, onTestFinished);
  const before = await registryWith(oldKey);
  const storeId = await createTestStore(before);
  const triggerIds: string[] = [];
  for (let count = 0; count < 10; count++)
    triggerIds.push((await addTrigger({ registry: before }, storeId, { url })).triggerId);
  const during = await registryWith(newKey, oldKey);
  // In reverse order, so that rotations are likely to fall between the reading and the writing of a secret.
  const rotating = triggerIds
    .toReversed()
    .map((triggerId) => during.triggers.rotateTriggerSecret({ triggerId }, inStore(storeId)));
  await Promise.all([during.admin.resealSecrets({ limit: 10 }), ...rotating]);
  const after = await registryWith(newKey);
  await issue({ registry: after }, storeId);
  const leases: TriggerLease[] = [];
  // A claim leaves triggers for later once enough events of their store are in flight.
  await soon(async () => {
    const claimed = await claim(after);
    if (claimed.length > 0) await record(after, claimed, 204);
    leases.push(...claimed);
    expect(leases).toHaveLength(triggerIds.length);
  });
  expect(leases.map(({ triggerId }) => triggerId).toSorted()).toEqual(triggerIds.toSorted());
  for (const { signingKeys } of leases) expect(signingKeys).toHaveLength(2);
});

test("loses no event that is stored and noted after the snapshot of a transaction that settles the head", async () => {
  const registry = await openRegistry();
  const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
  const [certificateId = ""] = await issue({ registry }, storeId);
  const report = () => registry.verification.reportProblem({ certificateId, content: "It is torn." });
  await report();
  const [lease] = await claim(registry);
  const { client, collections } = registry.database;
  const { triggerDeliveries } = collections;
  const head = await triggerDeliveries.findOne({ trigger: triggerId, "lease.token": lease?.leaseToken ?? "" });
  const recorded = new Set<ClientSession>();
  let isNoted = false;
  // Between the beginning of the transaction's snapshot and its first write, another event is stored and noted.
  const bulkWrite: typeof triggerDeliveries.bulkWrite = async (operations, options) => {
    if (options?.session !== undefined && !isNoted) {
      isNoted = true;
      // Otherwise, the locks of a killed replica would hold up all claims until the server ends its transaction.
      expect(recorded.has(options.session)).toBe(true);
      await report();
      expect(await claim(registry)).toEqual([]);
    }
    return triggerDeliveries.bulkWrite(operations, options);
  };
  const interrupted = new Proxy(triggerDeliveries, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name === "bulkWrite") return bulkWrite;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const queue = new MongoTriggerQueue({
    client,
    collections: { ...collections, triggerDeliveries: interrupted },
    readSnapshot: snapshotReader(client),
    box: createSecretBox([randomBytes(32)]),
    clock: systemClock,
    leaseLifeMs: 60_000,
    onSession: async (session) => void recorded.add(session),
  });
  if (head === null) throw new Error("nothing is leased");
  const event = { ...queuedEventOf(head), token: lease?.leaseToken ?? "" };
  const outcome = {
    eventId: event.eventId,
    kind: "delivered",
    httpStatus: 204,
    durationMs: 1,
    reason: null,
    phases: phasesOf({}),
    remoteAddress: "",
    replyExcerpt: "",
  } as const;
  await queue.record(
    [{ triggerId, events: [{ event, outcome, next: "delivered" }], health: undefined }],
    [],
    new Date(),
  );
  let settled = 1;
  await soon(async () => {
    const leases = await claim(registry);
    if (leases.length > 0) await record(registry, leases, 204);
    settled += leases.length;
    expect(settled).toBe(3);
  });
  expect(new Set(await statesOf(registry, storeId, triggerId))).toEqual(new Set(["DELIVERED"]));
});

test("settles an event that cannot be decoded, and sends the certificate's next event", async (context) => {
  const rig = await openTriggerRig(context);
  const receiver = await startTriggerReceiver(rig);
  const { storeId, triggerId } = await createStoreWithTrigger(rig, { url: receiver.url });
  const [certificateId = ""] = await issue(rig, storeId);
  const { triggerDeliveries } = rig.registry.database.collections;
  await triggerDeliveries.updateMany({}, { $set: { event: new Binary(new Uint8Array([0xff, 0xff])) } });
  await rig.registry.lifecycle.revokeCertificate({ certificateId, reason: "refund", cause: 1 }, inStore(storeId));
  await startTriggerNotifier(rig);
  await soon(() => expect(receiver.accepted.map(({ json }) => json.data.event)).toEqual(["revoked"]));
  await soon(async () => expect(await statesOf(rig.registry, storeId, triggerId)).toEqual(["DELIVERED", "SKIPPED"]));
}, 120_000);
