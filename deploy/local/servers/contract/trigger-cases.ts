import { randomBytes, randomUUID } from "node:crypto";
import { Binary } from "mongodb";
import {
  newEntry,
  type TriggerDeliveryDocument,
  type TriggerDocument,
} from "../../../../services/registry/mongo/documents/trigger-documents.ts";
import { findSnapshotReader } from "../../../../services/registry/mongo/driver/read-snapshot.ts";
import { leaseSlackMs } from "../../../../services/registry/mongo/leases/mongo-leases.ts";
import { indexes } from "../../../../services/registry/mongo/opening/indexes.ts";
import { MongoTriggerQueue } from "../../../../services/registry/mongo/triggers/mongo-trigger-queue.ts";
import { createSecretBox } from "../../../../services/registry/secrets/secret-box.ts";
import { steadyClock } from "../../../../services/shared/time/clock.ts";
import { type ContractCase, type ContractRig, contractCase } from "./contract-case.ts";

const startMs = Date.UTC(2026, 4, 1);
const start = new Date(startMs);
const leaseLifeMs = 60_000;
const box = createSecretBox([randomBytes(32)]);
const limitMs = 10_000;

const trigger: Omit<TriggerDocument, "_id"> = {
  store: "store",
  url: "https://receiver.example/",
  format: "cloudevents",
  events: [],
  createdAt: start,
  secrets: { active: { text: box.seal("whsec_AAAA", "store"), createdAt: start }, others: [] },
  disabled: null,
  failures: 0,
  failingSince: null,
  pausedUntil: null,
  lastDeliveredAt: null,
  dueAt: null,
  nextAt: null,
  leases: [],
  timedAt: 0,
  version: 0,
};

/** Opens the queue of a new trigger, on a clock that stands still. @returns it with what the queue has stored */
async function openQueue({ client, collections }: ContractRig) {
  const { triggers, triggerDeliveries } = collections;
  await triggers.deleteMany({});
  await triggerDeliveries.deleteMany({});
  await triggerDeliveries.createIndexes([...indexes.triggerDeliveries]);
  const time = { ms: startMs };
  const queue = new MongoTriggerQueue({
    client,
    collections,
    readSnapshot: findSnapshotReader(),
    box,
    leaseLifeMs,
    clock: { now: () => time.ms, sleep: steadyClock.sleep },
    databaseTime: () => new Date(time.ms),
  });
  const _id = randomUUID();
  await triggers.insertOne({ ...trigger, _id });
  const add = (certificate: string, number: number, isHead: boolean) => {
    const at = new Date(startMs + number);
    const entry = { store: "store", trigger: _id, certificate, type: 1, at, event: new Binary(Buffer.from("?")) };
    return triggerDeliveries.insertOne(newEntry({ ...entry, eventId: `evt_${number}` }, isHead ? start : undefined));
  };
  return {
    time,
    add,
    /** Leases the due heads. @returns their event ids, or "not due" */
    claim: async (token: string) => {
      await queue.admit(limitMs);
      const { triggers: due, now } = await queue.due(10, limitMs);
      const [found] = due;
      if (found === undefined) return "not due";
      const heads = await queue.heads(found, { except: [], countMax: 10, timeLimitMs: limitMs });
      const granted = heads.filter(({ dueAt }) => dueAt <= now);
      const next = heads.find((head) => !granted.includes(head))?.dueAt ?? null;
      const kept = found.leases.filter(({ until }) => until > now);
      const examined = { trigger: found, kept, granted, nextAt: next };
      const leased = await queue.lease([examined], { token, claimedBy: "contract", decidedAtMs: now }, limitMs);
      return Array.from(leased, (id) => id.slice(_id.length + 1)).toSorted();
    },
    record: async (token: string, number: number, next: "delivered" | Date) => {
      const lease = { id: `${_id}/evt_${number}`, token };
      const { events, now } = await queue.leased([lease]);
      const event = events.get(lease);
      if (event === undefined) return;
      const reply = { httpStatus: 200, durationMs: 1, phases: {}, reason: null, remoteAddress: "", replyExcerpt: "" };
      const outcome = { eventId: event.eventId, kind: "delivered" as const, ...reply };
      const isDelivered = next === "delivered";
      const health = { isDelivered, failures: isDelivered ? 0 : 1, pauseMs: 1_000, hasRecovered: false };
      await queue.record([{ triggerId: _id, events: [{ event, outcome, next }], health }], [], now);
    },
    stored: async () => {
      const found = await triggers.findOne({ _id });
      const sinceStart = (ms: number | null | undefined) => (ms == null ? null : Number(ms) - startMs);
      return { dueAt: sinceStart(found?.dueAt), leases: found?.leases.length, failures: found?.failures };
    },
  };
}

const isHead = (entry: Partial<TriggerDeliveryDocument>) => entry.dueAt !== undefined;

/** The queue of workflow triggers, with its partial and unique indexes and its pipelines. */
export const triggerCases: readonly ContractCase[] = [
  contractCase(
    "the heads of a trigger's queue: the oldest events of their certificates, one after the other",
    async (rig) => {
      const { add, claim, record, stored } = await openQueue(rig);
      await add("a", 1, true);
      await add("a", 2, false);
      await add("b", 3, false);
      await add("a", 4, false);
      const steps: unknown[] = [await claim("t1"), await claim("t2"), await stored()];
      await record("t1", 1, "delivered");
      steps.push(await claim("t3"), await claim("t4"));
      await record("t1", 3, "delivered");
      await record("t3", 2, "delivered");
      steps.push(await claim("t5"));
      await record("t5", 4, "delivered");
      const heads = (await rig.collections.triggerDeliveries.find().toArray()).filter(isHead);
      return [...steps, await claim("t6"), await stored(), heads.length];
    },
    [
      ["evt_1", "evt_3"],
      "not due",
      { dueAt: leaseLifeMs, leases: 2, failures: 0 },
      ["evt_2"],
      "not due",
      ["evt_4"],
      "not due",
      { dueAt: null, leases: 0, failures: 0 },
      0,
    ],
  ),
  contractCase(
    "a trigger's queue when an attempt fails, when a lease expires, and after the clock was set back by a day",
    async (rig) => {
      const { add, claim, record, stored, time } = await openQueue(rig);
      await add("a", 1, true);
      const steps: unknown[] = [await claim("t1")];
      await record("t1", 1, new Date(startMs + 10_000));
      steps.push(await stored());
      time.ms += 10_000;
      steps.push(await claim("t2"));
      time.ms += leaseLifeMs - 1;
      steps.push(await claim("t3"));
      time.ms += 1;
      steps.push(await claim("t4"), await stored());
      time.ms -= 86_400_000;
      steps.push(await claim("t5"));
      time.ms += leaseLifeMs + leaseSlackMs;
      return [...steps, await claim("t6")];
    },
    [
      ["evt_1"],
      { dueAt: 10_000, leases: 0, failures: 1 },
      ["evt_1"],
      "not due",
      ["evt_1"],
      { dueAt: 10_000 + 2 * leaseLifeMs, leases: 1, failures: 1 },
      "not due",
      ["evt_1"],
    ],
  ),
];
