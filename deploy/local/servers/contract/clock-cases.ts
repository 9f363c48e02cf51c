import { randomUUID } from "node:crypto";
import { Int32, Long } from "mongodb";
import { advanceClock } from "../../../../services/registry/mongo/certificates/store-clock.ts";
import type { DatabaseTime } from "../../../../services/registry/mongo/driver/database-time.ts";
import { findSnapshotReader } from "../../../../services/registry/mongo/driver/read-snapshot.ts";
import { runTransaction } from "../../../../services/registry/mongo/driver/run-transaction.ts";
import { wakeUpdate } from "../../../../services/registry/mongo/due-work/due-orders.ts";
import { leasedTask } from "../../../../services/registry/mongo/leases/leased-task.ts";
import { leaseSlackMs, MongoLeases } from "../../../../services/registry/mongo/leases/mongo-leases.ts";
import { OutboxMark } from "../../../../services/registry/mongo/outbox/outbox-mark.ts";
import { MongoWorkQueue } from "../../../../services/registry/mongo/storefront/mongo-work-queue.ts";
import { workLeaseMs } from "../../../../services/registry/storefront/storefront-storage.ts";
import { settingsFixture } from "../../../../services/registry/values/store-settings-fixture.ts";
import { systemClock } from "../../../../services/shared/time/clock.ts";
import { type ContractCase, type ContractRig, contractCase, withTypes } from "./contract-case.ts";

const startMs = Date.parse("2026-05-01T12:00:00.000Z");
const time = (ms: number) => new Date(startMs + ms);
const now = () => "$$NOW" as const;

/** Advances the clock of a store in a transaction. @returns the stored clock */
async function advance({ client, collections: { stores } }: ContractRig, clock: Date, databaseTime: DatabaseTime) {
  const _id = randomUUID();
  const times = { clock, clockReadAt: clock, createdAt: clock };
  await stores.insertOne({ _id, shop: _id, settings: settingsFixture, webhook: null, lastSerial: 41, ...times });
  await runTransaction(client, async (session) => ({
    commit: true,
    value: await advanceClock(stores, _id, { timestamps: 3, serials: 1 }, databaseTime, session),
  }));
  const projection = { _id: 0, clock: 1, previousClock: 1, clockReadAt: 1, lastSerial: 1 };
  return stores.findOne({ _id }, { projection, ...withTypes });
}

const lastSerial = new Int32(42);

const longAt = (ms: number) => Long.fromNumber(startMs + ms);
const storedLease = (dueMs: number, untilMs: number, sinceMs: number, wakes = 0) => ({
  dueAt: time(dueMs),
  lease: { until: longAt(untilMs), since: longAt(sinceMs), abandoned: new Int32(0), wakes: new Int32(wakes) },
});

/** The clock of a store, the lease of a task, and the low-water mark of the outbox. */
export const clockCases: readonly ContractCase[] = [
  contractCase(
    "the update of a store's clock that is behind the database's time",
    (rig) => advance(rig, time(0), () => time(50)),
    { clock: time(50), previousClock: time(0), clockReadAt: time(50), lastSerial },
  ),
  contractCase(
    "the update of a store's clock that is slightly ahead of the database's time",
    (rig) => advance(rig, time(0), () => time(-500)),
    { clock: time(0), previousClock: time(0), clockReadAt: time(-500), lastSerial },
  ),
  contractCase(
    "the update of a store's clock after the database's time was set back",
    (rig) => advance(rig, time(0), () => time(-3_600_000)),
    { clock: time(3), previousClock: time(0), clockReadAt: time(-3_600_000), lastSerial },
  ),
  contractCase(
    "the update of a store's clock with $$NOW",
    async (rig) => {
      const store = await advance(rig, time(0), now);
      return { isNow: store?.clock.getTime() === store?.clockReadAt.getTime(), isLater: (store?.clock ?? 0) > time(0) };
    },
    { isNow: true, isLater: true },
  ),
  contractCase(
    "the acquisition of a lease with $$NOW",
    async ({ collections: { leases } }) => {
      const task = randomUUID();
      const [first, second] = [leasedTask(leases, task, now), leasedTask(leases, task, now)];
      const claim = await first.claim();
      const whileHeld = await second.claim();
      if (claim === undefined) return "no claim";
      const held = [whileHeld === undefined, await first.renew(claim), await first.release(claim)];
      return [...held, (await second.claim()) !== undefined, await first.renew(claim)];
    },
    [true, true, true, true, false],
  ),
  contractCase(
    "the acquisition of a lease that has expired",
    async ({ collections: { leases } }) => {
      const task = randomUUID();
      const claimAt = (ms: number) => leasedTask(leases, task, () => time(ms)).claim();
      const claims = [await claimAt(0), await claimAt(60_000), await claimAt(60_001)];
      return claims.map((claim) => claim !== undefined);
    },
    [true, true, false],
  ),
  contractCase(
    "the stored lease: claimed, renewed, woken, postponed, claimed again, released and completed",
    async ({ collections: { leases } }) => {
      const _id = randomUUID();
      await leases.insertOne({ _id, dueAt: time(0) });
      const at = (ms: number) => new MongoLeases(leases, 1_000, () => time(ms));
      const stored = () => leases.findOne({ _id }, { projection: { _id: 0, "lease.token": 0 }, ...withTypes });
      const claim = await at(10).claim({ _id });
      if (claim === undefined) return "no claim";
      const documents = [await stored()];
      for (const change of [
        () => at(20).renew(claim),
        () => leases.updateOne({ _id }, wakeUpdate(time(30))),
        () => at(40).renew(claim),
        () => at(50).postpone(claim, 5),
        () => at(55).claim({ _id }),
        () => leases.updateOne({ _id }, { $set: { "lease.token": claim.token } }),
        // By a clock that is ahead by more than the lease.
        () => leases.updateOne({ _id }, wakeUpdate(time(5_000))),
        () => at(58).renew(claim),
        () => at(60).release(claim),
        () => at(60).release(claim),
        () => leases.updateOne({ _id }, { $set: { "lease.token": claim.token, "lease.until": 0, "lease.since": 0 } }),
        () => at(70).complete(claim, { changed: true }),
      ]) {
        await change();
        documents.push(await stored());
      }
      return documents;
    },
    [
      storedLease(1_010, 1_010, 0),
      storedLease(1_020, 1_020, 0),
      ...[storedLease(30, 1_020, 0), storedLease(30, 1_040, 0)].map((woken) => ({ ...woken, wakes: 1 })),
      { dueAt: time(55), wakes: 1 },
      ...[1, 1, 2].map((wakes) => ({ ...storedLease(1_055, 1_055, 55, 1), wakes })),
      { ...storedLease(1_055, 1_058, 55, 1), wakes: 2 },
      ...[{ dueAt: time(55) }, { dueAt: time(55) }].map((released) => ({ ...released, wakes: 2 })),
      { dueAt: time(55), lease: { until: 0, since: 0 }, wakes: 2 },
      { changed: true, wakes: 2 },
    ],
  ),
  contractCase(
    "the claim of work while it is leased, after the lease, and after the database's time was set back by a day",
    async ({ collections }) => {
      const claimAt = (at: Date) => new MongoWorkQueue(collections, systemClock, () => at).claim();
      await collections.storefronts.deleteMany({});
      await collections.storefronts.insertOne({ _id: randomUUID(), dueAt: time(0) });
      const claims = [];
      const dayMs = 86_400_000;
      const setBackMs = workLeaseMs - dayMs;
      for (const ms of [0, 1_000, workLeaseMs, setBackMs, setBackMs + workLeaseMs + leaseSlackMs])
        claims.push((await claimAt(time(ms))) !== undefined);
      return claims;
    },
    [true, false, true, false, true],
  ),
  contractCase(
    "the update of the outbox's mark, before and after the database's time was set back",
    async ({ collections }) => {
      const readSnapshot = findSnapshotReader();
      const markAt = (at: Date) =>
        new OutboxMark({ collections, readSnapshot, transactionLifetimeSeconds: 15, databaseTime: () => at });
      const { marks } = collections;
      await marks.deleteMany({});
      for (const at of [time(0), time(60_000)]) await markAt(at).advance();
      const before = await marks.findOne({}, withTypes);
      await markAt(time(-3_600_000)).advance();
      return [before, await marks.findOne({}, withTypes)];
    },
    [
      { _id: "outbox", from: time(15_000), resets: 0, clock: time(60_000), readAt: time(60_000) },
      { _id: "outbox", from: time(-3_645_000), resets: 1, clock: time(-3_600_000), readAt: time(-3_600_000) },
    ],
  ),
];
