import { randomUUID } from "node:crypto";
import { Int32 } from "mongodb";
import { advanceClock } from "../../../../services/registry/mongo/certificates/store-clock.ts";
import type { DatabaseTime } from "../../../../services/registry/mongo/driver/database-time.ts";
import { findSnapshotReader } from "../../../../services/registry/mongo/driver/read-snapshot.ts";
import { runTransaction } from "../../../../services/registry/mongo/driver/run-transaction.ts";
import { acquireTimeLimitMs } from "../../../../services/registry/mongo/leases/lease-times.ts";
import { MongoLease } from "../../../../services/registry/mongo/leases/mongo-lease.ts";
import { MongoWorkQueue } from "../../../../services/registry/mongo/leases/mongo-work-queue.ts";
import { OutboxMark } from "../../../../services/registry/mongo/outbox/outbox-mark.ts";
import { workLeaseMs } from "../../../../services/registry/storefront/storefront-storage.ts";
import { steadyClock, systemClock } from "../../../../services/shared/time/clock.ts";
import { type ContractCase, type ContractRig, contractCase, withTypes } from "./contract-case.ts";

const startMs = Date.parse("2026-05-01T12:00:00.000Z");
const time = (ms: number) => new Date(startMs + ms);
const now = () => "$$NOW" as const;

/** Advances the clock of a store in a transaction. @returns the stored clock */
async function advance({ client, collections: { stores } }: ContractRig, clock: Date, databaseTime: DatabaseTime) {
  const _id = randomUUID();
  const settings = { editionStyle: "number_total", language: "en", verifyBaseUrl: null } as const;
  const times = { clock, clockReadAt: clock, createdAt: clock };
  await stores.insertOne({ _id, shop: _id, settings, webhook: null, lastSerial: 41, ...times });
  await runTransaction(client, steadyClock, async (session) => ({
    commit: true,
    value: await advanceClock(stores, _id, { timestamps: 3, serials: 1 }, databaseTime, session),
  }));
  const projection = { _id: 0, clock: 1, previousClock: 1, clockReadAt: 1, lastSerial: 1 };
  return stores.findOne({ _id }, { projection, ...withTypes });
}

const lastSerial = new Int32(42);

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
      const [first, second] = [new MongoLease(leases, task, "first", now), new MongoLease(leases, task, "second", now)];
      const acquired = [await first.acquire(), await second.acquire(), await first.acquire()];
      await first.release();
      return [...acquired, await second.acquire()];
    },
    [true, false, true, true],
  ),
  contractCase(
    "the acquisition of a lease that has expired",
    async ({ collections: { leases } }) => {
      const task = randomUUID();
      const leaseAt = (holder: string, at: Date) => new MongoLease(leases, task, holder, () => at);
      const acquired = [await leaseAt("first", time(0)).acquire(), await leaseAt("second", time(60_000)).acquire()];
      return [...acquired, await leaseAt("third", time(60_001)).acquire()];
    },
    [true, true, false],
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
      for (const ms of [0, 1_000, workLeaseMs, setBackMs, setBackMs + workLeaseMs + acquireTimeLimitMs])
        claims.push((await claimAt(time(ms))) !== undefined);
      return claims;
    },
    [true, false, true, false, true],
  ),
  contractCase(
    "the update of the outbox's mark, before and after the database's time was set back",
    async ({ collections }) => {
      const readSnapshot = findSnapshotReader(steadyClock);
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
