import { randomBytes } from "node:crypto";
import { Binary } from "mongodb";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { LoadShedError } from "../../services/registry/load/load-shed-error.ts";
import { newEntry } from "../../services/registry/mongo/documents/trigger-documents.ts";
import { MongoTriggerQueue } from "../../services/registry/mongo/triggers/mongo-trigger-queue.ts";
import { dueCursor } from "../../services/registry/mongo/triggers/trigger-due.ts";
import { createSecretBox } from "../../services/registry/secrets/secret-box.ts";
import { claimTriggerDeliveries } from "../../services/registry/triggers/claim-trigger-deliveries.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { openKeyFolder } from "../harness/key-files.ts";
import { stagesOf, walksIndexes } from "../harness/query-plans.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { testWebhookUrl as url } from "../harness/test-stores.ts";
import { issue } from "./notifier-rig.ts";
import { createStoreWithTrigger } from "./trigger-rig.ts";

test("the search for a paused trigger's test events reads at most one other event, however many wait", async (context) => {
  const { database } = await openTestRegistry({}, onTestFinished);
  if (!(await walksIndexes(database.db))) return context.skip();
  const entries = database.collections.triggerDeliveries;
  const [triggerId, other] = [newId("trg"), newId("trg")];
  const at = new Date(Date.now() - 60_000);
  const entry = (trigger: string, eventId: string) =>
    newEntry(
      {
        store: "store",
        trigger,
        certificate: newId("crt"),
        type: 1,
        at,
        eventId,
        event: new Binary(randomBytes(200)),
      },
      at,
    );
  const tests = [0, 1, 2].map(() => newId("tst"));
  await entries.insertMany(tests.map((id) => entry(triggerId, id)));
  await entries.insertOne(entry(other, newId("tst")));
  for (const count of [100, 900]) {
    await entries.insertMany(Array.from({ length: count }, () => entry(triggerId, newId("evt"))));
    const due = () =>
      dueCursor(entries, triggerId, new Date(), { countMax: 4, only: "tests", timeLimitMs: Number.POSITIVE_INFINITY });
    const found = await due().toArray();
    expect(found.map(({ _id }) => _id).toSorted()).toEqual(tests.map((id) => `${triggerId}/${id}`).toSorted());
    const plan = await due().explain("executionStats");
    expect(stagesOf(plan.queryPlanner.winningPlan)).toContain("IXSCAN");
    // One extra key may be read to detect the end of a range.
    expect(plan.executionStats.totalKeysExamined).toBeLessThanOrEqual(tests.length + 1);
    expect(plan.executionStats.totalDocsExamined).toBeLessThanOrEqual(tests.length + 1);
  }
});

/** Starts a registry with two triggers, each with one due event. @returns the dependencies of a MongoTriggerQueue */
async function openTwoTriggers() {
  const keys = await openKeyFolder();
  onTestFinished(() => keys.remove());
  const key = randomBytes(32);
  const env = { REGISTRY_SECRET_KEY_FILES: await keys.write("key", key) };
  const registry = await openTestRegistry({ env }, onTestFinished);
  for (let count = 0; count < 2; count++) {
    const { storeId } = await createStoreWithTrigger({ registry }, { url });
    await issue({ registry }, storeId);
  }
  return { collections: registry.database.collections, box: createSecretBox([key]), clock: systemClock };
}

/** Returns a queue on the real collection. @param onAccess called with the name of each method before it is called */
function queueThatNotes(
  { collections, box, clock }: Awaited<ReturnType<typeof openTwoTriggers>>,
  onAccess: (method: string | symbol) => void,
) {
  const triggerDeliveries = new Proxy(collections.triggerDeliveries, {
    get: (target, name) => {
      onAccess(name);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return new MongoTriggerQueue({ collections: { ...collections, triggerDeliveries }, box, clock });
}

const claimant = { claimedBy: "test", countMax: 10, leaseLifeMs: 60_000 };

test("a claim returns the leases granted before a read fails, and fails if none was granted", async () => {
  const rig = await openTwoTriggers();
  const { triggerDeliveries } = rig.collections;
  let readsUntilFailure = 1;
  const queue = queueThatNotes(rig, (method) => {
    if (method === "find" && readsUntilFailure-- <= 0) throw new Error("cut off");
  });
  const errors: unknown[] = [];
  const onCutShort = (error: unknown) => errors.push(error);
  const claim = () => claimTriggerDeliveries(queue, { ...claimant, timeLimitMs: () => 1_000, onCutShort });
  const [lease, ...rest] = await claim();
  expect(rest).toEqual([]);
  expect(errors).toEqual([expect.objectContaining({ message: "cut off" })]);
  expect(await triggerDeliveries.countDocuments({ lease: { $ne: null } })).toBe(1);
  expect(await triggerDeliveries.findOne({ "lease.token": lease?.token })).toMatchObject({ attempts: 1 });
  await expect(claim()).rejects.toThrow("cut off");
});

test("a claim returns the leases granted before its time runs out", async () => {
  const rig = await openTwoTriggers();
  const { triggerDeliveries } = rig.collections;
  let hasLeased = false;
  const queue = queueThatNotes(rig, (method) => {
    hasLeased ||= method === "updateOne";
  });
  const late = new LoadShedError("deadline");
  const errors: unknown[] = [];
  const leases = await claimTriggerDeliveries(queue, {
    ...claimant,
    timeLimitMs: () => {
      if (hasLeased) throw late;
      return 1_000;
    },
    onCutShort: (error) => errors.push(error),
  });
  expect(leases).toHaveLength(1);
  expect(errors).toEqual([late]);
  expect(await triggerDeliveries.countDocuments({ lease: { $ne: null } })).toBe(1);
});
