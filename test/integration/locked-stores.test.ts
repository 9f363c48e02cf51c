import type { ClientSession } from "mongodb";
import { expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { documentVersion } from "../../services/registry/mongo/migrations/migration.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { lockStores } from "../harness/lock-stores.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database } = registry;

// The commit queue's default maximum number of concurrent transactions.
const transactionsMax = 16;

test("changes to locked stores do not block a change to another store, even if they reach the limit of concurrent transactions", async (context) => {
  const lockedIds = await Promise.all(Array.from({ length: transactionsMax }, () => createTestStore(registry)));
  const freeId = await createTestStore(registry);
  const { unlock } = await lockStores(context, database, lockedIds);
  // The clock stands still: a change that waits for a lock never gives up, however long the change to the other store
  // takes on a busy machine.
  const { issue } = createTestLedger(database, { clock: { ...systemClock, now: () => 0 } });
  const ended: string[] = [];
  const changes = Promise.allSettled(lockedIds.map((storeId) => issue(storeId).finally(() => ended.push(storeId))));
  await issue(freeId);
  expect(ended).toEqual([]);
  await unlock();
  const outcomes = await changes;
  expect(outcomes.map(({ status }) => status)).toEqual(Array(transactionsMax).fill("fulfilled"));
});

const startedReplica = { publishesAutomationEvents: false, at: new Date() };

/** Stores the record of a replica that was killed after it had recorded this session. */
async function recordKilledReplica({ id }: ClientSession, replica: string): Promise<void> {
  await database.collections.replicas.insertOne({
    _id: replica,
    beat: 7,
    documentVersion,
    ...startedReplica,
    sessions: id === undefined ? [] : [id.id],
  });
}

// These two tests are concurrent, because each waits until the registry considers a heartbeat stopped.
test.concurrent("a store locked by a killed replica can be changed once another replica detects that the killed replica's heartbeat has stopped", async (context) => {
  const storeId = await createTestStore(registry);
  const { session } = await lockStores(context, database, [storeId]);
  await recordKilledReplica(session, "killed");
  const { issue } = createTestLedger(database);
  // Less than MongoDB's default transaction lifetime of 60 s: an expired transaction would also unlock the store.
  await eventually(() => issue(storeId), { withinMs: 45_000 });
  await expect(session.commitTransaction()).rejects.toMatchObject({ codeName: "NoSuchTransaction" });
  await eventually(async () => expect(await database.collections.replicas.findOne({ _id: "killed" })).toBeNull());
});

test.concurrent("removing the record of a killed replica that recorded no sessions does not end another client's transaction", async (context) => {
  const storeId = await createTestStore(registry);
  const { session } = await lockStores(context, database, [storeId]);
  await database.collections.replicas.insertOne({
    _id: "idle",
    beat: 7,
    documentVersion,
    ...startedReplica,
    sessions: [],
  });
  await eventually(async () => expect(await database.collections.replicas.findOne({ _id: "idle" })).toBeNull());
  await session.commitTransaction();
});

test("a replica records the sessions of its changes, and removes its record when it stops", async () => {
  const { replicas } = database.collections;
  const before = await replicas.distinct("_id");
  const replica = await startTestRegistry({ database });
  const storeId = await createTestStore(replica);
  await replica.issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
  const [own, ...others] = await replicas.find({ _id: { $nin: before } }).toArray();
  expect(others).toEqual([]);
  expect(own?.sessions.length).toBeGreaterThan(0);
  await replica.stop();
  expect(await replicas.countDocuments({ _id: own?._id ?? "" })).toBe(0);
});
