import { Binary } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import type { DeliveryOutcome } from "../../deliveries/delivery.ts";
import { type SecretBox, UnreadableSecret } from "../../secrets/secret-box.ts";
import { signingTexts } from "../../triggers/signing-secrets.ts";
import type {
  DeliveryState,
  DueQuery,
  FailedTrigger,
  LeasedEvents,
  LoggedTriggerDelivery,
  NewLease,
  NewTest,
  QueuedEvent,
  TriggerLoad,
  TriggerLogQuery,
  TriggerQueue,
  WaitingTriggers,
} from "../../triggers/trigger-queue.ts";
import type { Collections } from "../documents/collections.ts";
import {
  newEntry,
  queuedEventOf,
  signingSecretsOf,
  type TriggerDeliveryDocument,
  type TriggerDocument,
} from "../documents/trigger-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { operationTimeLimitMs, within } from "../driver/time-limits.ts";
import { dueCursor } from "./trigger-due.ts";
import { readTriggerLog } from "./trigger-log.ts";

interface MongoTriggerQueueDeps {
  readonly collections: Pick<Collections, "triggers" | "triggerDeliveries">;
  readonly box: SecretBox;
  readonly clock: Clock;
}

type Timed<T> = T & { readonly now: Date };

const options = { maxTimeMS: operationTimeLimitMs };

/** Implements TriggerQueue. Settled events stay in the collection as the log, without their messages. */
export class MongoTriggerQueue implements TriggerQueue {
  readonly #deps: MongoTriggerQueueDeps;
  readonly #entries: Collections["triggerDeliveries"];
  readonly #triggers: Collections["triggers"];

  constructor(deps: MongoTriggerQueueDeps) {
    this.#deps = deps;
    this.#entries = deps.collections.triggerDeliveries;
    this.#triggers = deps.collections.triggers;
  }

  waitingTriggers(): Promise<WaitingTriggers> {
    return databaseCall(async () => {
      const ids: string[] = await this.#entries.distinct("trigger", { state: "waiting" }, options);
      if (ids.length === 0) return { triggers: [], now: new Date(this.#deps.clock.now()) };
      const found = await this.#triggers
        .aggregate<Timed<TriggerDocument>>(
          [{ $match: { _id: { $in: ids }, disabled: null } }, { $set: { now: "$$NOW" } }],
          options,
        )
        .toArray();
      const now = found[0]?.now ?? new Date(this.#deps.clock.now());
      const leased = { state: "waiting" as const, trigger: { $in: ids }, nextAttemptAt: { $gt: now } };
      const inFlight = await this.#entries
        .aggregate<{ readonly _id: string; readonly count: number }>(
          [{ $match: { ...leased, lease: { $ne: null } } }, { $group: { _id: "$trigger", count: { $sum: 1 } } }],
          options,
        )
        .toArray();
      const counts = new Map(inFlight.map(({ _id, count }) => [_id, count]));
      const triggers = found.map((document) => {
        const { _id: id, store: storeId, url, format, failures, pausedUntil } = document;
        const secrets = this.#secretsOf(document, now);
        return { id, storeId, url, format, failures, pausedUntil, secrets, inFlightCount: counts.get(id) ?? 0 };
      });
      return { triggers, now };
    });
  }

  due(triggerId: string, now: Date, query: DueQuery): Promise<QueuedEvent[]> {
    return databaseCall(() => dueCursor(this.#entries, triggerId, now, query).map(queuedEventOf).toArray());
  }

  oldest(
    triggerId: string,
    certificateIds: readonly string[],
    timeLimitMs: number,
  ): Promise<ReadonlyMap<string, QueuedEvent>> {
    return databaseCall(async () => {
      const oldest = await this.#entries
        .aggregate<{ readonly _id: string; readonly entry: TriggerDeliveryDocument }>(
          [
            { $match: { state: "waiting", trigger: triggerId, certificate: { $in: [...certificateIds] } } },
            { $project: { event: 0 } },
            { $sort: { certificate: 1, at: 1 } },
            { $group: { _id: "$certificate", entry: { $first: "$$ROOT" } } },
          ],
          within(timeLimitMs),
        )
        .toArray();
      return new Map(oldest.map(({ _id, entry }) => [_id, queuedEventOf(entry)]));
    });
  }

  async postponeBehind({ triggerId, certificateId, at }: QueuedEvent, until: Date, timeLimitMs: number): Promise<void> {
    const behind = { state: "waiting" as const, trigger: triggerId, certificate: certificateId, at: { $gt: at } };
    const postponed = { $set: { nextAttemptAt: until } };
    await databaseCall(() => this.#entries.updateMany({ ...behind, lease: null }, postponed, within(timeLimitMs)));
  }

  async lease(
    event: QueuedEvent,
    { token, claimedBy, firstAttemptAt, expiresAt }: NewLease,
    timeLimitMs: number,
  ): Promise<boolean> {
    const { id, nextAttemptAt, leaseToken } = event;
    const unchanged = leaseToken === null ? { lease: null } : { "lease.token": leaseToken };
    const leased = { lease: { token, by: claimedBy }, firstAttemptAt, nextAttemptAt: expiresAt };
    const { matchedCount } = await databaseCall(() =>
      this.#entries.updateOne(
        { _id: id, state: "waiting", nextAttemptAt, ...unchanged },
        { $set: leased, $inc: { attempts: 1 } },
        within(timeLimitMs),
      ),
    );
    return matchedCount > 0;
  }

  leased(leases: readonly { readonly id: string; readonly token: string }[]): Promise<LeasedEvents> {
    const filter = { _id: { $in: leases.map(({ id }) => id) }, state: "waiting" };
    return databaseCall(async () => {
      const found = await this.#entries
        .aggregate<Timed<TriggerDeliveryDocument>>(
          [{ $match: filter }, { $project: { event: 0 } }, { $set: { now: "$$NOW" } }],
          options,
        )
        .toArray();
      const tokens = new Map(leases.map(({ id, token }) => [id, token]));
      const ours = found.filter(({ _id, lease }) => lease !== null && lease.token === tokens.get(_id));
      const events = new Map(ours.map((document) => [document._id, queuedEventOf(document)]));
      return { events, now: found[0]?.now ?? new Date(this.#deps.clock.now()) };
    });
  }

  async retry(event: QueuedEvent, outcome: DeliveryOutcome, at: Date): Promise<void> {
    await this.#end(event, outcome, { $set: { nextAttemptAt: at, lease: null } });
  }

  async settle(event: QueuedEvent, state: Exclude<DeliveryState, "waiting">, outcome: DeliveryOutcome): Promise<void> {
    const isOurs = await this.#end(event, outcome, {
      $set: { state, nextAttemptAt: null, lease: null },
      $unset: { event: "" },
    });
    if (!isOurs) return;
    const { triggerId: trigger, certificateId: certificate } = event;
    const next = { state: "waiting" as const, trigger, certificate, attempts: 0 };
    const due = [{ $set: { nextAttemptAt: "$$NOW" } }];
    await databaseCall(() => this.#entries.findOneAndUpdate(next, due, { sort: { at: 1 } }));
  }

  /**
   * Records an attempt's outcome and applies `change` to the event, unless the lease has been lost.
   *
   * @returns false if the lease has been lost; nothing is then written
   */
  async #end(
    { id, leaseToken }: QueuedEvent,
    outcome: DeliveryOutcome,
    change: { readonly $set: Partial<TriggerDeliveryDocument>; readonly $unset?: { readonly event: "" } },
  ): Promise<boolean> {
    // Copied field by field, so that other members of the caller's object are not stored.
    const { kind, httpStatus, durationMs, reason, phases, remoteAddress, replyExcerpt } = outcome;
    const at = new Date(this.#deps.clock.now());
    const lastAttempt = { kind, httpStatus, durationMs, reason, phases, remoteAddress, replyExcerpt, at };
    const { matchedCount } = await databaseCall(() =>
      this.#entries.updateOne(
        { _id: id, state: "waiting", "lease.token": leaseToken },
        { ...change, $set: { ...change.$set, lastAttempt } },
      ),
    );
    return matchedCount > 0;
  }

  async delivered(triggerId: string, now: Date): Promise<number> {
    const working = { failures: 0, failingSince: null, pausedUntil: null, lastDeliveredAt: now };
    const before = await databaseCall(() =>
      this.#triggers.findOneAndUpdate({ _id: triggerId }, { $set: working }, { returnDocument: "before" }),
    );
    return before?.failures ?? 0;
  }

  async makeAllDue(triggerId: string, now: Date): Promise<void> {
    const waiting = { state: "waiting" as const, trigger: triggerId, lease: null, nextAttemptAt: { $gt: now } };
    await databaseCall(() => this.#entries.updateMany(waiting, { $set: { nextAttemptAt: now } }));
  }

  async failed(triggerId: string, now: Date): Promise<FailedTrigger | undefined> {
    const failing = { failures: { $add: ["$failures", 1] }, failingSince: { $ifNull: ["$failingSince", now] } };
    const after = await databaseCall(() =>
      this.#triggers.findOneAndUpdate({ _id: triggerId }, [{ $set: failing }], { returnDocument: "after" }),
    );
    return after === null ? undefined : { failures: after.failures, lastDeliveredAt: after.lastDeliveredAt };
  }

  async pause(triggerId: string, until: Date): Promise<void> {
    // Does nothing if a delivery has reset the failures in the meantime.
    const failing = { _id: triggerId, failures: { $gt: 0 } };
    await databaseCall(() => this.#triggers.updateOne(failing, { $set: { pausedUntil: until } }));
  }

  async addTest({ eventId, triggerId, storeId, certificateId, at, event, type }: NewTest): Promise<void> {
    const ids = { store: storeId, trigger: triggerId, certificate: certificateId, eventId };
    const entry = newEntry({ ...ids, type, at, event: new Binary(event) }, at);
    const due = [{ $replaceWith: { $mergeObjects: [{ $literal: entry }, { nextAttemptAt: "$$NOW" }] } }];
    await databaseCall(() => this.#entries.updateOne({ _id: entry._id }, due, { upsert: true }));
  }

  readLog(query: TriggerLogQuery, countMax: number): Promise<LoggedTriggerDelivery[]> {
    return databaseCall(() => readTriggerLog(this.#entries, query, countMax));
  }

  load(): Promise<TriggerLoad> {
    return databaseCall(async () => {
      const disabledCount = await this.#triggers.countDocuments({ disabled: { $ne: null } }, options);
      const ids: string[] = await this.#entries.distinct("trigger", { state: "waiting" }, options);
      // Entries of a deleted trigger can remain after a failure.
      const enabled = await this.#triggers.distinct("_id", { _id: { $in: ids }, disabled: null }, options);
      const waiting = { state: "waiting" as const, trigger: { $in: enabled } };
      const [oldest] = await this.#entries.find(waiting, options).sort({ at: 1 }).limit(1).toArray();
      const waitingCount = await this.#entries.countDocuments(waiting, options);
      return { waitingCount, oldestAt: oldest?.at, disabledCount };
    });
  }

  #secretsOf(document: TriggerDocument, now: Date): string[] | "unreadable" {
    try {
      return signingTexts(signingSecretsOf(document), now).map((text) => this.#deps.box.open(text, document.store));
    } catch (error) {
      if (error instanceof UnreadableSecret) return "unreadable";
      throw error;
    }
  }
}
