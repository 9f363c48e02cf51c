import { randomBytes } from "node:crypto";
import { Binary, type CommandStartedEvent, type Db, type Document } from "mongodb";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { phasesOf } from "../../services/registry/deliveries/delivery.ts";
import { LoadShedError } from "../../services/registry/load/load-shed-error.ts";
import { newEntry, testsDueAt } from "../../services/registry/mongo/documents/trigger-documents.ts";
import { findSnapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { isLeased } from "../../services/registry/mongo/leases/mongo-leases.ts";
import { MongoTriggerQueue } from "../../services/registry/mongo/triggers/mongo-trigger-queue.ts";
import { createSecretBox } from "../../services/registry/secrets/secret-box.ts";
import { claimTriggerDeliveries } from "../../services/registry/triggers/claim-trigger-deliveries.ts";
import { recordTriggerAttempts } from "../../services/registry/triggers/record-trigger-attempts.ts";
import { defaultRetryPolicy } from "../../services/registry/triggers/retry-policy.ts";
import { totalWaitingCountMax } from "../../services/registry/triggers/trigger-queue.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { openKeyFolder } from "../harness/key-files.ts";
import { stagesOf, walksIndexes } from "../harness/query-plans.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { commandsDuring } from "../harness/sent-commands.ts";
import { testWebhookUrl as url } from "../harness/test-stores.ts";
import { issue } from "./notifier-rig.ts";
import { createStoreWithTrigger } from "./trigger-rig.ts";

/** Starts a registry with two triggers, each with one due event. @returns the dependencies of a MongoTriggerQueue */
async function openTwoTriggers() {
  const keys = await openKeyFolder(onTestFinished);
  const key = randomBytes(32);
  const env = { REGISTRY_SECRET_KEY_FILES: await keys.write("key", key) };
  const registry = await openTestRegistry({ env }, onTestFinished);
  const triggerIds: string[] = [];
  for (let count = 0; count < 2; count++) {
    const { storeId, triggerId } = await createStoreWithTrigger({ registry }, { url });
    await issue({ registry }, storeId);
    triggerIds.push(triggerId);
  }
  const { client, collections } = registry.database;
  const readSnapshot = findSnapshotReader();
  const times = { clock: systemClock, leaseLifeMs: 60_000 };
  return { client, collections, readSnapshot, box: createSecretBox([key]), ...times, triggerIds };
}

type Commands = (collection: "triggers" | "triggerDeliveries", method: string | symbol, args: unknown[]) => void;

/** Returns a queue on the real collections. @param onAccess called with the name of each method before it is called */
function queueThatNotes(deps: Awaited<ReturnType<typeof openTwoTriggers>>, onCall: Commands) {
  const noted = <Name extends "triggers" | "triggerDeliveries">(name: Name) =>
    new Proxy(deps.collections[name], {
      get: (target, method) => {
        const member: unknown = Reflect.get(target, method, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          onCall(name, method, args);
          return Reflect.apply(member, target, args);
        };
      },
    });
  const collections = { triggers: noted("triggers"), triggerDeliveries: noted("triggerDeliveries") };
  return new MongoTriggerQueue({ ...deps, collections });
}

function commandsOf(sent: readonly CommandStartedEvent[], name: "find" | "update"): Document[] {
  return sent.flatMap(({ commandName, command }) => (commandName === name ? [command] : []));
}

/** Expects that MongoDB executes a command with an index, and examines few of its keys and few documents. */
async function expectFewKeys(db: Db, command: Document): Promise<void> {
  const { queryPlanner, executionStats } = await db.command({ explain: command, verbosity: "executionStats" });
  expect(stagesOf(queryPlanner.winningPlan), JSON.stringify(command)).toContain("IXSCAN");
  expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(5);
  expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(5);
}

const claimant = { claimedBy: "test", countMax: 1, leaseLifeMs: 60_000 };

test("a claim reads only triggers and heads that are due, however many triggers are in backoff or have a backlog", async () => {
  const rig = await openTwoTriggers();
  const { triggers, triggerDeliveries } = rig.collections;
  const [due, healthy] = await triggers.find().sort({ createdAt: 1 }).toArray();
  if (due === undefined || healthy === undefined) throw new Error("no triggers");
  const hourMs = 3_600_000;
  const at = new Date();
  const backoff = { failures: 9, pausedUntil: Date.now() + hourMs, dueAt: Date.now() + hourMs, nextAt: Date.now() };
  const ids = Array.from({ length: 300 }, () => newId("trg"));
  await triggers.insertMany(ids.map((_id) => ({ ...due, ...backoff, _id, store: newId("sto") })));
  const entry = (trigger: string, eventId: string, dueMs: number) => {
    const { fresh: _fresh, ...head } = newEntry(
      { store: "store", trigger, certificate: newId("crt"), type: 1, at, eventId, event: new Binary(randomBytes(200)) },
      new Date(dueMs),
    );
    return head;
  };
  await triggerDeliveries.insertMany(ids.map((trigger) => entry(trigger, newId("evt"), Date.now())));
  // A trigger that is paused, with a backlog, of which a test is to be sent.
  const backlog = Array.from({ length: 300 }, () => entry(due._id, newId("evt"), Date.now() - hourMs));
  await triggerDeliveries.insertMany([...backlog, entry(due._id, newId("tst"), testsDueAt)]);
  const queue = new MongoTriggerQueue(rig);
  await queue.admit(10_000);
  await triggers.updateOne({ _id: due._id }, { $set: { failures: 9, pausedUntil: Date.now() + 50_000, dueAt: 1 } });
  // A later event of a certificate in the backlog, whose head notes it.
  const [head] = backlog;
  if (head === undefined) throw new Error("no backlog");
  const { certificate } = head;
  const follower = { store: "store", trigger: due._id, certificate, type: 2, at, event: new Binary(randomBytes(200)) };
  await triggerDeliveries.insertOne(newEntry({ ...follower, eventId: newId("evt") }, undefined));
  // A new queue, whose first claim also looks for times that a set-back of the database's clock has left in the future.
  const { result: leases, sent } = await commandsDuring(rig.client, () =>
    claimTriggerDeliveries(new MongoTriggerQueue(rig), {
      ...claimant,
      countMax: 10,
      timeLimitMs: () => 10_000,
      onCutShort: (error) => expect.fail(String(error)),
    }),
  );
  expect(leases.map(({ event }) => [event.triggerId, event.eventId.slice(0, 4)]).toSorted()).toEqual(
    [
      [due._id, "tst_"],
      [healthy._id, "evt_"],
    ].toSorted(),
  );
  expect(await triggerDeliveries.findOne({ _id: head._id })).toMatchObject({ followers: 1 });
  const db = rig.client.db();
  const isMongo = await walksIndexes(db);
  for (const { lsid: _session, $db: _db, $clusterTime: _time, ...find } of commandsOf(sent, "find")) {
    const { cursor } = await db.command(find);
    expect(cursor.firstBatch.length).toBeLessThanOrEqual(3);
    if (isMongo) await expectFewKeys(db, find);
  }
  // MongoDB explains updates one at a time, and without their effects.
  for (const { update, updates } of commandsOf(sent, "update"))
    for (const one of isMongo ? updates : []) await expectFewKeys(db, { update, updates: [one] });
  const counts = Map.groupBy(sent, ({ commandName }) => commandName);
  expect([...counts.keys()].toSorted()).toEqual(["find", "update"]);
  expect(counts.get("find")?.length).toBeGreaterThan(4);
});

test("the load of the queue is read up to a limit, without most of the older events of disabled triggers", async () => {
  const rig = await openTwoTriggers();
  const { triggers, triggerDeliveries } = rig.collections;
  const [trigger = "", enabled = ""] = rig.triggerIds;
  await triggers.updateOne(
    { _id: trigger },
    { $set: { disabled: { cause: "requested", reason: null, at: new Date() } } },
  );
  const now = Date.now();
  const backlogOf = (of: string, newestMs: number) =>
    Array.from({ length: 1_000 }, (_, age) => {
      const ids = { store: "store", trigger: of, certificate: newId("crt"), eventId: newId("evt") };
      const event = new Binary(randomBytes(200));
      return newEntry({ ...ids, type: 1, at: new Date(newestMs - age), event }, undefined);
    });
  await triggerDeliveries.insertMany([...backlogOf(trigger, now - 60_000), ...backlogOf(enabled, now - 30_000)]);
  const { result: load, sent } = await commandsDuring(rig.client, () => new MongoTriggerQueue(rig).load());
  expect(load).toEqual({ waitingCount: 1_001, oldestAt: new Date(now - 30_999), disabledCount: 1 });
  const reads = sent
    .map(({ command }) => command)
    .filter(({ find, aggregate = find }) => aggregate === "triggerDeliveries");
  const limits = reads.map(
    ({ pipeline, limit }) => limit ?? pipeline.find((stage: Document) => "$limit" in stage).$limit,
  );
  expect(limits).toEqual([100, totalWaitingCountMax]);
  const db = rig.client.db();
  if (!(await walksIndexes(db))) return;
  const finds = commandsOf(sent, "find");
  expect(finds).toHaveLength(1);
  for (const { lsid: _session, $db: _db, $clusterTime: _time, ...find } of finds) {
    const { executionStats } = await db.command({ explain: find, verbosity: "executionStats" });
    expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(100);
  }
});

test("the load of a queue in which only disabled triggers have events is read without the events", async () => {
  const rig = await openTwoTriggers();
  const { triggers, triggerDeliveries } = rig.collections;
  await triggers.updateMany({}, { $set: { disabled: { cause: "requested", reason: null, at: new Date() } } });
  const ids = { store: "store", trigger: rig.triggerIds[0] ?? "", certificate: newId("crt"), eventId: newId("evt") };
  const event = new Binary(randomBytes(200));
  await triggerDeliveries.insertOne(newEntry({ ...ids, type: 1, at: new Date(), event }, undefined));
  const { result: load, sent } = await commandsDuring(rig.client, () => new MongoTriggerQueue(rig).load());
  expect(load).toEqual({ waitingCount: 0, oldestAt: undefined, disabledCount: 2 });
  expect(commandsOf(sent, "find")).toEqual([]);
  expect(sent.filter(({ commandName }) => commandName === "aggregate")).toHaveLength(1);
});

/** As many events as triggers are due: a claim of them looks for further triggers, because it can lease only one. */
const countMax = 2;

/** Starts a registry with two due triggers, of which the first is paused. */
async function openPausedTrigger() {
  const rig = await openTwoTriggers();
  const until = Date.now() + 3_600_000;
  await new MongoTriggerQueue(rig).admit(10_000);
  const paused = { failures: 9, pausedUntil: until, dueAt: 1 };
  await rig.collections.triggers.updateOne({ _id: rig.triggerIds[0] ?? "" }, { $set: paused });
  return rig;
}

test("a claim returns the leases granted before a read fails, and fails if none was granted", async () => {
  const rig = await openPausedTrigger();
  const { triggerDeliveries } = rig.collections;
  let isFailing = false;
  const queue = queueThatNotes(rig, (collection, method) => {
    if (collection === "triggers" && method === "find" && isFailing) throw new Error("cut off");
    // The claim looks for further triggers after it has leased an event.
    isFailing ||= collection === "triggerDeliveries" && method === "bulkWrite";
  });
  const errors: unknown[] = [];
  const onCutShort = (error: unknown) => errors.push(error);
  const claim = () => claimTriggerDeliveries(queue, { ...claimant, countMax, timeLimitMs: () => 60_000, onCutShort });
  const leases = await claim();
  expect(leases).toHaveLength(1);
  expect(errors).toEqual([expect.objectContaining({ message: "cut off" })]);
  expect(await triggerDeliveries.countDocuments(isLeased)).toBe(leases.length);
  expect(await triggerDeliveries.findOne({ "lease.token": leases[0]?.token })).toMatchObject({ attempts: 1 });
  await expect(claim()).rejects.toThrow("cut off");
});

test("a claim leases what is due while a killed replica has locked a head, so that an event behind it cannot be admitted", async () => {
  const rig = await openTwoTriggers();
  const { client, collections, triggerIds } = rig;
  const { triggerDeliveries } = collections;
  await new MongoTriggerQueue(rig).admit(10_000);
  const head = await triggerDeliveries.findOne({ trigger: triggerIds[0] ?? "" });
  if (head === null) throw new Error("no head");
  const { trigger, certificate, store } = head;
  const follower = { store, trigger, certificate, type: 2, at: new Date(), event: new Binary(randomBytes(200)) };
  await triggerDeliveries.insertOne(newEntry({ ...follower, eventId: newId("evt") }, undefined));
  const session = client.startSession();
  onTestFinished(() => session.endSession());
  session.startTransaction();
  await triggerDeliveries.updateOne({ _id: head._id }, { $set: { attempts: 7 } }, { session });
  const errors: unknown[] = [];
  // Only the second trigger is due: the first one waits for the lock, too.
  await collections.triggers.updateOne({ _id: trigger }, { $set: { dueAt: null } });
  const queue = new MongoTriggerQueue(rig);
  const admit = vi.spyOn(queue, "admit");
  const leases = await claimTriggerDeliveries(queue, {
    ...claimant,
    timeLimitMs: () => 4_000,
    onCutShort: (error) => errors.push(error),
  });
  expect(leases.map(({ event }) => event.triggerId)).toEqual([triggerIds[1]]);
  expect(errors).toEqual([expect.objectContaining({ code: "unavailable" })]);
  // Half of the time is left for what is due.
  expect(admit).toHaveBeenCalledExactlyOnceWith(2_000);
});

test("a claim returns the leases granted before its time runs out", async () => {
  const rig = await openPausedTrigger();
  const { triggerDeliveries } = rig.collections;
  let hasLeased = false;
  const queue = queueThatNotes(rig, (collection, method) => {
    hasLeased ||= collection === "triggers" && method === "bulkWrite";
  });
  const late = new LoadShedError("deadline");
  const errors: unknown[] = [];
  const leases = await claimTriggerDeliveries(queue, {
    ...claimant,
    countMax,
    timeLimitMs: () => {
      if (hasLeased) throw late;
      return 60_000;
    },
    onCutShort: (error) => errors.push(error),
  });
  expect(leases).toHaveLength(1);
  expect(errors).toEqual([late]);
  expect(await triggerDeliveries.countDocuments(isLeased)).toBe(leases.length);
});

function outcomeOf(eventId: string, kind: "delivered" | "refused", httpStatus: number) {
  const reply = { durationMs: 1, reason: null, phases: phasesOf({}), remoteAddress: "", replyExcerpt: "" };
  return { eventId, kind, httpStatus, ...reply };
}

test.each([
  { kind: "delivered", httpStatus: 204, state: "delivered" },
  { kind: "refused", httpStatus: 503, state: "waiting" },
] as const)(
  "a repeated report of an attempt that was $kind frees the trigger, although its event's result was recorded before",
  async (one) => {
    const rig = await openTwoTriggers();
    const { triggers, triggerDeliveries } = rig.collections;
    let isFailing = false;
    const queue = queueThatNotes(rig, (collection, method) => {
      if (collection !== "triggers" || method !== "bulkWrite" || !isFailing) return;
      isFailing = false;
      throw new Error("cut off");
    });
    const onCutShort = (error: unknown) => expect(error).toBeUndefined();
    const [lease] = await claimTriggerDeliveries(queue, { ...claimant, timeLimitMs: () => 60_000, onCutShort });
    if (lease === undefined) throw new Error("no lease");
    const { event, token } = lease;
    const { kind, httpStatus, state } = one;
    const outcome = outcomeOf(event.eventId, kind, httpStatus);
    const disable = () => Promise.resolve(false);
    const deps = { queue, triggers: { disable }, policy: defaultRetryPolicy, onDisabled: () => undefined };
    const report = () => recordTriggerAttempts(deps, [{ id: event.id, token, outcome }]);
    isFailing = true;
    await expect(report()).rejects.toThrow("cut off");
    expect(await triggerDeliveries.findOne({ _id: event.id, ...isLeased })).toBeNull();
    expect(await triggerDeliveries.findOne({ _id: event.id })).toMatchObject({ state });
    await report();
    const found = await triggers.findOne({ _id: event.triggerId });
    expect(found?.leases).toEqual([]);
    // Its next claim determines when it is due.
    expect(found?.dueAt).toBeLessThanOrEqual(Date.now());
    const { version } = found ?? {};
    await report();
    expect(await triggers.findOne({ _id: event.triggerId })).toMatchObject({ version });
  },
);

test("of two claims that have read the same version of a trigger, the second changes nothing", async () => {
  const rig = await openTwoTriggers();
  const queue = new MongoTriggerQueue(rig);
  await queue.admit(10_000);
  const {
    triggers: [trigger],
    now,
  } = await queue.due(1, 10_000);
  if (trigger === undefined) throw new Error("no trigger is due");
  const granted = await queue.heads(trigger, { except: [], countMax: 1, timeLimitMs: 10_000 });
  const examined = { trigger, kept: [], nextAt: null };
  const lease = (token: string, events: typeof granted) =>
    queue.lease([{ ...examined, granted: events }], { token, claimedBy: token, decidedAtMs: now }, 10_000);
  expect(await lease("first", granted)).toEqual(new Set(granted.map(({ id }) => id)));
  const leased = await rig.collections.triggers.findOne({ _id: trigger.id });
  expect(leased?.leases).toHaveLength(1);
  expect(await lease("second", granted)).toEqual(new Set());
  expect(await lease("third", [])).toEqual(new Set());
  expect(await rig.collections.triggers.findOne({ _id: trigger.id })).toEqual(leased);
});

/** Claims all due events. */
function claimAll(queue: MongoTriggerQueue) {
  const onCutShort = (error: unknown) => expect.fail(String(error));
  return claimTriggerDeliveries(queue, { ...claimant, countMax: 10, timeLimitMs: () => 10_000, onCutShort });
}

test("a replica whose knowledge of the database's time is a lease ahead takes over no lease that lasts, and keeps no slot of the trigger", async () => {
  const rig = await openTwoTriggers();
  const { triggers, triggerDeliveries } = rig.collections;
  const leases = await claimAll(new MongoTriggerQueue(rig));
  expect(leases).toHaveLength(2);
  const stored = await triggerDeliveries.find().sort({ _id: 1 }).toArray();
  const clock = { now: () => systemClock.now() + 2 * rig.leaseLifeMs, sleep: systemClock.sleep };
  expect(await claimAll(new MongoTriggerQueue({ ...rig, clock }))).toEqual([]);
  expect(await triggerDeliveries.find().sort({ _id: 1 }).toArray()).toEqual(stored);
  expect((await triggers.find().toArray()).flatMap((trigger) => trigger.leases)).toEqual([]);
});

test("a claim of two new events takes seven reads, one of them once a minute, and four writes, and the record of their results two and two", async () => {
  const rig = await openTwoTriggers();
  const queue = new MongoTriggerQueue(rig);
  const { result: leases, sent: claiming } = await commandsDuring(rig.client, () => claimAll(queue));
  const disable = () => Promise.resolve(false);
  const deps = { queue, triggers: { disable }, policy: defaultRetryPolicy, onDisabled: () => undefined };
  const { sent: recording } = await commandsDuring(rig.client, () =>
    recordTriggerAttempts(
      deps,
      leases.map(({ event, token }) => ({ id: event.id, token, outcome: outcomeOf(event.eventId, "delivered", 204) })),
    ),
  );
  const countsOf = (sent: readonly CommandStartedEvent[]) => [
    commandsOf(sent, "find").length,
    commandsOf(sent, "update").length,
    sent.length,
  ];
  expect([claiming, recording].map(countsOf)).toEqual([
    [7, 4, 11],
    [2, 2, 4],
  ]);
  expect(await rig.collections.triggerDeliveries.distinct("state")).toEqual(["delivered"]);
});
