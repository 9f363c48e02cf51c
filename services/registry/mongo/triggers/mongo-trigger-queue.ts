import { type AnyBulkWriteOperation, Binary, type ClientSession, type Document, type MongoClient } from "mongodb";
import { reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import { dayMs } from "#shared/time/day.ts";
import type { WorkClaim } from "../../leases/leased-queue.ts";
import { signingSecrets } from "../../secrets/rotate-secrets.ts";
import { type SecretBox, unlessUnreadable } from "../../secrets/secret-box.ts";
import type {
  DueTrigger,
  DueTriggers,
  EventResult,
  ExaminedTrigger,
  LeasedEvents,
  LoggedTriggerDelivery,
  NewLeases,
  NewTest,
  QueuedEvent,
  TriggerLoad,
  TriggerLogQuery,
  TriggerQueue,
  TriggerResults,
} from "../../triggers/trigger-queue.ts";
import { totalWaitingCountMax } from "../../triggers/trigger-queue.ts";
import { defaultRetention, type Retention } from "../../values/retention.ts";
import type { Collections } from "../documents/collections.ts";
import { idIn, ownerIn } from "../documents/compound-key.ts";
import { storedOutcome } from "../documents/outcome-documents.ts";
import {
  isHead,
  leaseKey,
  newEntry,
  queuedEventOf,
  settledFields,
  type TriggerDeliveryDocument,
  type TriggerDocument,
  testsDueAt,
} from "../documents/trigger-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { type DatabaseTime, toDate, toMs } from "../driver/database-time.ts";
import { narrowed } from "../driver/narrowed-filter.ts";
import type { ReadSnapshot } from "../driver/read-snapshot.ts";
import { type RetryOptions, runTransaction } from "../driver/run-transaction.ts";
import { atMost, limited } from "../driver/time-limits.ts";
import { updateMatching } from "../driver/write-each.ts";
import { MongoLeases } from "../leases/mongo-leases.ts";
import { type AdmitEventsDeps, admitEvents } from "./admit-events.ts";
import { followClock } from "./follow-clock.ts";
import { promoteNext } from "./promote-next.ts";
import { skipEvents } from "./skip-events.ts";
import { readTriggerLog } from "./trigger-log.ts";
import { dueAtOnce, reschedule } from "./trigger-schedule.ts";

interface MongoTriggerQueueDeps {
  readonly client: MongoClient;
  readonly collections: Pick<Collections, "triggers" | "triggerDeliveries">;
  readonly readSnapshot: ReadSnapshot;
  readonly box: SecretBox;
  /** The database's clock, by which events are due. */
  readonly clock: Clock;
  /** How long a lease lasts, in milliseconds. */
  readonly leaseLifeMs: number;
  /** See {@link Retention}. Default 30. */
  readonly deliveryLogDays?: Retention["deliveryLogDays"];
  /** See {@link RetryOptions.onSession}. */
  readonly onSession?: RetryOptions["onSession"];
  /** Computes the times of leases. Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
}

const admittedMax = 500;
const admittedPagesMax = 4;
const watchEveryMs = 1_000;
const expiredMax = 200;
const expireEveryMs = 60_000;
const oldestMax = 100;

/**
 * Implements TriggerQueue. Settled events stay in the collection as the log, without their messages.
 *
 * A claim finds triggers by `dueAt`, and then the heads of each, both by an index. It changes a trigger only in the
 * version that it read, so two claims never lease events of a trigger at the same time.
 */
export class MongoTriggerQueue implements TriggerQueue {
  readonly #deps: MongoTriggerQueueDeps;
  readonly #entries: Collections["triggerDeliveries"];
  readonly #triggers: Collections["triggers"];
  readonly #databaseTime: DatabaseTime;
  readonly #leases: MongoLeases<TriggerDeliveryDocument>;
  readonly #admission: AdmitEventsDeps;
  #watchedAt = Number.NEGATIVE_INFINITY;
  #expiredAt = Number.NEGATIVE_INFINITY;

  constructor(deps: MongoTriggerQueueDeps) {
    this.#deps = deps;
    this.#entries = deps.collections.triggerDeliveries;
    this.#triggers = deps.collections.triggers;
    this.#databaseTime = deps.databaseTime ?? (() => "$$NOW");
    this.#leases = new MongoLeases(this.#entries, deps.leaseLifeMs, this.#databaseTime);
    const { collections, readSnapshot } = deps;
    this.#admission = { collections, databaseTime: this.#databaseTime, readSnapshot };
  }

  admit(timeLimitMs: number): Promise<void> {
    return databaseCall(async () => {
      const now = this.#now();
      if (Math.abs(now - this.#watchedAt) >= watchEveryMs) {
        const options = { now, databaseTime: this.#databaseTime, leases: this.#leases, timeLimitMs };
        const isLate = await followClock(this.#deps.collections, options);
        if (!isLate) this.#watchedAt = now;
      }
      const page = { now, countMax: admittedMax, timeLimitMs };
      for (let pages = 0; pages < admittedPagesMax; pages++)
        if ((await admitEvents(this.#admission, page)) < admittedMax) break;
      if (Math.abs(now - this.#expiredAt) >= expireEveryMs && !(await this.#skipExpired(now, timeLimitMs)))
        this.#expiredAt = now;
    });
  }

  /**
   * Settles events a day before the log deletes them, which would leave their certificates' next events without a head.
   *
   * @returns whether more may be left
   */
  async #skipExpired(now: number, timeLimitMs: number): Promise<boolean> {
    const { client, onSession, deliveryLogDays = defaultRetention.deliveryLogDays } = this.#deps;
    const days = deliveryLogDays - 1;
    const expired = await this.#entries
      .find(
        { state: "waiting", at: { $lt: new Date(now - days * dayMs) } },
        { ...atMost(timeLimitMs), projection: { _id: 1 } },
      )
      .sort({ at: 1 })
      .limit(expiredMax)
      .toArray();
    if (expired.length === 0) return false;
    const deps = { client, triggerDeliveries: this.#entries, databaseTime: this.#databaseTime, onSession, timeLimitMs };
    const outcome = { kind: "skipped", reason: reason("message_expired", { days }) } as const;
    const ids = expired.map(({ _id }) => _id);
    await skipEvents(deps, ids, outcome, { keepsAttempts: true });
    return expired.length === expiredMax;
  }

  due(countMax: number, timeLimitMs: number): Promise<DueTriggers> {
    const now = this.#now();
    return databaseCall(async () => {
      const found = await this.#triggers
        .find({ dueAt: { $lte: now } }, atMost(timeLimitMs))
        .sort({ dueAt: 1 })
        .limit(countMax)
        .toArray();
      const inFlight = await this.#inFlightOf([...new Set(found.map(({ store }) => store))], now, timeLimitMs);
      const triggers = found.map((document): DueTrigger => {
        const { _id: id, store: storeId, url, format, failures, pausedUntil, nextAt, leases, version } = document;
        const signing = signingSecrets(document.secrets, new Date(now));
        const secrets = unlessUnreadable(() => signing.map(({ text }) => this.#deps.box.open(text, storeId)));
        const inFlightOfStore = inFlight.get(storeId) ?? 0;
        return { id, storeId, url, format, failures, pausedUntil, nextAt, leases, version, secrets, inFlightOfStore };
      });
      return { triggers, now };
    });
  }

  /** Returns the number of unexpired leases of each store. */
  async #inFlightOf(stores: readonly string[], now: number, timeLimitMs: number): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    if (stores.length === 0) return counts;
    const projection = { store: 1, leases: 1 } as const;
    const siblings = this.#triggers.find({ store: { $in: [...stores] } }, { ...atMost(timeLimitMs), projection });
    for await (const { store, leases } of siblings)
      counts.set(store, (counts.get(store) ?? 0) + leases.filter(({ until }) => until > now).length);
    return counts;
  }

  heads(
    { id: trigger }: Pick<DueTrigger, "id">,
    { except, countMax, timeLimitMs }: Parameters<TriggerQueue["heads"]>[1],
  ): Promise<QueuedEvent[]> {
    const leased = new Set(except.map(({ key }) => idIn(key)));
    return databaseCall(async () => {
      const found = await this.#entries
        .find({ trigger, ...isHead }, atMost(timeLimitMs))
        .sort({ dueAt: 1 })
        // Not `$nin`: some servers would use no index.
        .limit(countMax + leased.size)
        .toArray();
      const free = found.filter(({ _id }) => !leased.has(_id));
      return free.slice(0, countMax).map(queuedEventOf);
    });
  }

  async lease(
    examined: readonly ExaminedTrigger[],
    { token, claimedBy, decidedAtMs }: NewLeases,
    timeLimitMs: number,
  ): Promise<ReadonlySet<string>> {
    if (examined.length === 0) return new Set();
    const until = this.#leases.nextEnd();
    const operations = examined.map(({ trigger, kept, granted, nextAt }): AnyBulkWriteOperation<TriggerDocument> => {
      const leases = [...kept, ...granted.map(({ id }) => ({ key: leaseKey({ token, id }), until }))];
      const fields = { leases, nextAt };
      const filter = { _id: trigger.id, version: trigger.version, disabled: null };
      return { updateOne: { filter, update: reschedule(fields, this.#databaseTime, decidedAtMs) } };
    });
    const limits = atMost(timeLimitMs);
    return databaseCall(async () => {
      const { matchedCount } = await this.#triggers.bulkWrite(operations, { ordered: false, ...limits });
      const granted = examined.filter((one) => one.granted.length > 0);
      if (granted.length === 0) return new Set<string>();
      const won = matchedCount === operations.length ? granted : await this.#wonOf(granted, token, limits);
      const set = {
        "lease.by": { $literal: claimedBy },
        attempts: { $add: ["$attempts", 1] },
        firstAttemptAt: { $ifNull: ["$firstAttemptAt", this.#databaseTime()] },
      };
      const heads = won.flatMap((one) =>
        // A change of a head changes when it is due.
        one.granted.map(({ id, dueAt }) => ({ id, token, set, condition: { dueAt: new Date(dueAt) } })),
      );
      const leased = await this.#leases.claimEach(heads, limits);
      const lost = heads.filter((head) => !leased.has(head));
      if (lost.length > 0) await this.#triggers.bulkWrite(this.#releasing(lost), { ...limits, ordered: false });
      return new Set(Array.from(leased, ({ id }) => id));
    });
  }

  /** Returns the triggers that the claim with this token has changed in the version that it had read. */
  async #wonOf(granted: readonly ExaminedTrigger[], token: string, limits: typeof limited) {
    const keys = granted.flatMap((one) => one.granted.map(({ id }) => leaseKey({ token, id })));
    const won = { _id: { $in: granted.map(({ trigger }) => trigger.id) }, "leases.key": { $in: keys } };
    const found = await this.#triggers.find(won, { ...limits, projection: { _id: 1 } }).toArray();
    const ids = new Set(found.map(({ _id }) => _id));
    return granted.filter(({ trigger }) => ids.has(trigger.id));
  }

  leased<Lease extends WorkClaim>(leases: readonly Lease[]): Promise<LeasedEvents<Lease>> {
    const ids = [...new Set(leases.map(({ id }) => ownerIn(id)))];
    return databaseCall(async () => {
      const [found, triggers] = await Promise.all([
        this.#leases.held(leases, { ...limited, projection: { event: 0 } }),
        this.#triggers
          .find({ _id: { $in: ids } }, { ...limited, projection: { failures: 1, lastDeliveredAt: 1 } })
          .toArray(),
      ]);
      const events = new Map(
        Array.from(found, ([lease, document]) => [lease, { ...queuedEventOf(document), token: lease.token }]),
      );
      return { events, triggers: new Map(triggers.map((one) => [one._id, one])), now: new Date(this.#now()) };
    });
  }

  record(triggers: readonly TriggerResults[], ended: readonly WorkClaim[], decidedAt: Date): Promise<void> {
    const results = triggers.flatMap(({ events }) => events);
    if (results.length === 0 && ended.length === 0) return Promise.resolve();
    return databaseCall(async () => {
      if (results.length > 0) await this.#recordEvents(results);
      for (const { triggerId: trigger, health } of triggers)
        if (health?.hasRecovered) {
          const heads = { trigger, dueAt: { $gt: new Date(this.#now()) } };
          const waiting = narrowed<TriggerDeliveryDocument>(heads, { lease: { $exists: false } });
          const dueAt = toDate(dueAtOnce(this.#databaseTime));
          await updateMatching(this.#entries, waiting, [{ $set: { dueAt } }], limited);
        }
      // Comes last: until then, the leases make the triggers due, if a crash prevents it.
      const operations = [...triggers.map((one) => this.#resultsOf(one, decidedAt)), ...this.#releasing(ended)];
      await this.#triggers.bulkWrite(operations, { ...limited, ordered: false });
    });
  }

  /** Records the results of attempts. Heads that others follow are settled in a transaction that promotes the next. */
  async #recordEvents(results: readonly EventResult[]): Promise<void> {
    const ends = results.map((result) => this.#endOf(result));
    const unfollowed = { condition: { followers: { $exists: false } } };
    const count = await this.#leases.endEach(ends.map((end) => ({ ...end, ...(end.isSettled && unfollowed) })));
    if (count === ends.length) return;
    const settled = ends.filter(({ isSettled }) => isSettled);
    const settle = async (session: ClientSession) => {
      // A head without followers was settled, which ends its lease.
      const held = await this.#leases.held(settled, { session, projection: { lease: 1 } });
      if (held.size === 0) return { commit: false, value: undefined };
      const followed = Array.from(held.keys());
      await this.#leases.endEach(followed, session);
      await promoteNext(this.#entries, followed, this.#databaseTime, session);
      return { commit: true, value: undefined };
    };
    const { client, onSession } = this.#deps;
    await runTransaction(client, settle, { onSession });
  }

  /** Returns the end of an attempt's lease. */
  #endOf({ event, outcome, next }: EventResult) {
    const { id, token, triggerId: trigger, certificateId: certificate } = event;
    const lastAttempt = storedOutcome(outcome, new Date(this.#now()));
    const isSettled = !(next instanceof Date);
    const set = isSettled ? settledFields(next, lastAttempt) : { dueAt: next, lastAttempt: { $literal: lastAttempt } };
    return { id, token, trigger, certificate, isSettled, set };
  }

  /**
   * Returns the update of a trigger after results: removes the leases, and records what they say about the receiver.
   */
  #resultsOf({ triggerId, events, health }: TriggerResults, decidedAt: Date): AnyBulkWriteOperation<TriggerDocument> {
    const leases = without(events.map(({ event }) => leaseKey(event)));
    const retries = events.flatMap(({ next }) => (next instanceof Date ? next.getTime() : []));
    const nextAt = { $min: ["$nextAt", ...retries, ...(health?.hasRecovered ? [dueAtOnce(this.#databaseTime)] : [])] };
    const fields = { leases, nextAt, ...(health && this.#healthOf(health)) };
    const update = reschedule(fields, this.#databaseTime, decidedAt.getTime());
    return { updateOne: { filter: { _id: triggerId }, update } };
  }

  /** Returns updates that remove leases from their triggers, which the next claim examines. */
  #releasing(ended: readonly WorkClaim[]): AnyBulkWriteOperation<TriggerDocument>[] {
    const ofTriggers = Map.groupBy(ended, ({ id }) => ownerIn(id));
    return Array.from(ofTriggers, ([triggerId, leases]) => {
      const keys = leases.map(leaseKey);
      const fields = { leases: without(keys), nextAt: { $min: ["$nextAt", dueAtOnce(this.#databaseTime)] } };
      const filter = { _id: triggerId, "leases.key": { $in: keys } };
      return { updateOne: { filter, update: reschedule(fields, this.#databaseTime) } };
    });
  }

  #healthOf({ isDelivered, failures, pauseMs }: NonNullable<TriggerResults["health"]>): Document {
    const now = this.#databaseTime();
    const since = isDelivered ? now : { $ifNull: ["$failingSince", now] };
    return {
      failures: isDelivered ? failures : { $add: ["$failures", failures] },
      failingSince: failures === 0 ? null : since,
      pausedUntil: failures === 0 ? null : { $add: [toMs(now), Math.ceil(pauseMs)] },
      ...(isDelivered && { lastDeliveredAt: now }),
    };
  }

  async addTest({ eventId, triggerId, storeId, certificateId, at, event, type }: NewTest): Promise<void> {
    const ids = { store: storeId, trigger: triggerId, certificate: certificateId, eventId };
    const entry = newEntry({ ...ids, type, at, event: new Binary(event) }, new Date(testsDueAt));
    await databaseCall(() => this.#entries.insertOne(entry, limited));
  }

  readLog(query: TriggerLogQuery, countMax: number): Promise<LoggedTriggerDelivery[]> {
    return databaseCall(() => readTriggerLog(this.#entries, query, countMax));
  }

  load(): Promise<TriggerLoad> {
    return databaseCall(async () => {
      const disabledCount = await this.#triggers.countDocuments({ disabled: { $ne: null } }, limited);
      const ids: string[] = await this.#entries.distinct("trigger", { state: "waiting" }, limited);
      // Entries of a deleted trigger can remain after a failure.
      const enabled = await this.#triggers.distinct("_id", { _id: { $in: ids }, disabled: null }, limited);
      // MongoDB 8.0 reads the whole hinted index for an empty list (SERVER-100269).
      if (enabled.length === 0) return { waitingCount: 0, oldestAt: undefined, disabledCount };
      // Of all triggers: a search for the oldest event of the enabled ones would read every older event of the others.
      const oldest = await this.#entries
        .find({ state: "waiting" }, { ...limited, projection: { trigger: 1, at: 1 } })
        .sort({ at: 1 })
        .limit(oldestMax)
        .toArray();
      const [counted] = await this.#entries
        .aggregate<{ readonly count: number; readonly oldestMs: number }>(
          [
            { $match: { state: "waiting", trigger: { $in: enabled } } },
            { $limit: totalWaitingCountMax },
            { $group: { _id: null, count: { $sum: 1 }, oldestMs: { $min: toMs("$at") } } },
          ],
          // It contains all that is read.
          { ...limited, hint: "certificate_order" },
        )
        .toArray();
      const first = oldest.find(({ trigger }) => enabled.includes(trigger));
      const oldestAt = first?.at ?? (counted && new Date(counted.oldestMs));
      return { waitingCount: counted?.count ?? 0, oldestAt, disabledCount };
    });
  }

  #now(): number {
    return this.#deps.clock.now();
  }
}

/** Returns the leases of a trigger's document except those with the given keys; an expression. */
function without(keys: readonly string[]): Document {
  return { $filter: { input: "$leases", cond: { $not: [{ $in: ["$$this.key", keys] }] } } };
}
