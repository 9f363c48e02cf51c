import type { ClientSession } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import { replaceSecret } from "../../secrets/rotate-secrets.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import type { StoreChange } from "../../stores/store-history.ts";
import { type Disabled, type NewTrigger, type Trigger, type Triggers, triggersMax } from "../../triggers/trigger.ts";
import { newId } from "../../values/identifiers.ts";
import { notFound } from "../../values/not-found.ts";
import type { Collections } from "../documents/collections.ts";
import type { EnabledTrigger } from "../documents/documents.ts";
import {
  type TriggerDeliveryDocument,
  type TriggerDocument,
  testsDueAt,
  triggerOf,
} from "../documents/trigger-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { type DatabaseTime, toDate } from "../driver/database-time.ts";
import { narrowed } from "../driver/narrowed-filter.ts";
import { afterPosition, positionAfter } from "../driver/scan-position.ts";
import { limited } from "../driver/time-limits.ts";
import { deleteMatching, updateEach, updateMatching } from "../driver/write-each.ts";
import { endOf, hasEnded, isLeased } from "../leases/mongo-leases.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";
import { dueAtOnce, reschedule } from "./trigger-schedule.ts";

interface MongoTriggersDeps {
  readonly collections: Pick<Collections, "stores" | "triggers" | "triggerDeliveries">;
  readonly history: MongoStoreHistory;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** Computes when events are due. Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
}

// Counting more would slow down the list of triggers, which only needs to show whether many events are waiting.
const waitingCountMax = 10_000;

const pageSize = 5_000;

/** Fields of a trigger that has had no failed attempt since its last delivery. */
const working = { failures: 0, failingSince: null, pausedUntil: null } as const;

/** Implements Triggers. The store's document lists the enabled triggers. */
export class MongoTriggers implements Triggers {
  readonly #deps: MongoTriggersDeps;
  readonly #databaseTime: DatabaseTime;

  constructor(deps: MongoTriggersDeps) {
    this.#deps = deps;
    this.#databaseTime = deps.databaseTime ?? (() => "$$NOW");
  }

  async create(storeId: string, { secret, ...trigger }: NewTrigger, change: StoreChange): Promise<Trigger> {
    const { box, clock, history, collections } = this.#deps;
    const { stores, triggers } = collections;
    const createdAt = new Date(clock.now());
    const document: TriggerDocument = {
      _id: newId("trg"),
      store: storeId,
      ...trigger,
      createdAt,
      secrets: { active: { text: box.seal(secret, storeId), createdAt }, others: [] },
      disabled: null,
      ...working,
      lastDeliveredAt: null,
      dueAt: null,
      nextAt: null,
      leases: [],
      timedAt: 0,
      version: 0,
    };
    await history.record(storeId, withId(change, document._id), async (session) => {
      const enabled = enabledOf(document);
      // Comes first: concurrent changes to the store's triggers conflict here, so that the count is exact.
      const { matchedCount } = await stores.updateOne({ _id: storeId }, { $push: { triggers: enabled } }, { session });
      if (matchedCount === 0) throw notFound("store");
      const count = await triggers.countDocuments({ store: storeId }, { session });
      if (count >= triggersMax)
        throw new ServiceError("failed_precondition", reason("too_many_triggers", { count: triggersMax }));
      await triggers.insertOne(document, { session });
      return { hasChanged: true, value: undefined };
    });
    return triggerOf(document, 0);
  }

  list(storeId: string): Promise<Trigger[]> {
    return databaseCall(async () => {
      const found = await this.#deps.collections.triggers
        .find({ store: storeId }, limited)
        .sort({ createdAt: 1, _id: 1 })
        .toArray();
      const triggers: Trigger[] = [];
      // One after another: a call takes one connection.
      for (const document of found) triggers.push(await this.#withCount(document));
      return triggers;
    });
  }

  find(storeId: string, triggerId: string): Promise<Trigger> {
    return databaseCall(async () => this.#withCount(await this.#read(storeId, triggerId)));
  }

  async delete(storeId: string, triggerId: string, change: StoreChange): Promise<void> {
    const { history, collections } = this.#deps;
    const { triggers, triggerDeliveries } = collections;
    await history.record(storeId, change, async (session) => {
      await this.#unlist(storeId, triggerId, session);
      const { deletedCount } = await triggers.deleteOne({ _id: triggerId, store: storeId }, { session });
      if (deletedCount === 0) throw notFound("trigger");
      return { hasChanged: true, value: undefined };
    });
    // Not in the transaction, which a long queue would make too large. Entries that a failure leaves behind are not
    // sent, and expire with the delivery log.
    await databaseCall(() => deleteMatching(triggerDeliveries, { store: storeId, trigger: triggerId }, limited));
  }

  async enable(storeId: string, triggerId: string, change: StoreChange): Promise<Trigger> {
    const { history, collections } = this.#deps;
    const { stores, triggers } = collections;
    const { disabled } = await databaseCall(() => this.#read(storeId, triggerId));
    // Outside the transaction, which a long queue would make too large, and before it: if this step came later and
    // failed, the first failure of an event with its old retry horizon would disable the trigger again.
    if (disabled !== null)
      await databaseCall(async () => {
        await this.#renewHeads(triggerId);
        await this.#replaceHeads(triggerId);
      });
    await history.record(storeId, change, async (session) => {
      const document = await this.#read(storeId, triggerId, session);
      if (document.disabled === null) return { hasChanged: false, value: undefined };
      const enabled = enabledOf(document);
      await stores.updateOne({ _id: storeId }, { $push: { triggers: enabled } }, { session });
      const due = { disabled: null, ...working, nextAt: dueAtOnce(this.#databaseTime) };
      await triggers.updateOne({ _id: triggerId }, reschedule(due, this.#databaseTime), { session });
      return { hasChanged: true, value: undefined };
    });
    return this.find(storeId, triggerId);
  }

  async disable(storeId: string, triggerId: string, disabled: Disabled, change: StoreChange): Promise<boolean> {
    const { history, collections } = this.#deps;
    return history.record(storeId, change, async (session) => {
      const document = await this.#read(storeId, triggerId, session);
      if (document.disabled !== null) return { hasChanged: false, value: false };
      await this.#unlist(storeId, triggerId, session);
      const update = reschedule({ disabled: { $literal: { ...disabled } } }, this.#databaseTime);
      await collections.triggers.updateOne({ _id: triggerId }, update, { session });
      return { hasChanged: true, value: true };
    });
  }

  async rotateSecret(
    storeId: string,
    triggerId: string,
    { secret, previousUntil }: { readonly secret: string; readonly previousUntil: Date },
    change: StoreChange,
  ): Promise<Trigger> {
    const { history, box, clock, collections } = this.#deps;
    await history.record(storeId, change, async (session) => {
      const current = await this.#read(storeId, triggerId, session);
      const now = new Date(clock.now());
      const next = { text: box.seal(secret, storeId), createdAt: now };
      const secrets = replaceSecret(current.secrets, { next, previousUntil }, now);
      await collections.triggers.updateOne({ _id: triggerId }, { $set: { secrets } }, { session });
      return { hasChanged: true, value: undefined };
    });
    return this.find(storeId, triggerId);
  }

  /**
   * Makes the heads of a disabled trigger that an attempt has postponed due, and gives them a new retry horizon. Heads
   * without an attempt, of which there may be any number, are due already.
   */
  async #renewHeads(triggerId: string): Promise<void> {
    const { triggerDeliveries } = this.#deps.collections;
    const heads = { trigger: triggerId, dueAt: { $gt: new Date(testsDueAt) } };
    const wasTried = { attempts: { $gt: 0 } };
    const free = narrowed<TriggerDeliveryDocument>(heads, { ...wasTried, $expr: hasEnded(this.#databaseTime) });
    const dueAt = toDate(dueAtOnce(this.#databaseTime));
    await updateMatching(triggerDeliveries, free, endOf({ firstAttemptAt: null, attempts: 0, dueAt }), limited);
    // Events that are being sent keep their leases.
    const started = { $set: { firstAttemptAt: this.#databaseTime() } };
    const leased = narrowed<TriggerDeliveryDocument>(heads, { ...wasTried, ...isLeased });
    await updateMatching(triggerDeliveries, leased, [started], limited);
  }

  /**
   * Has the next claim give heads to the certificates without one: if no notifier has claimed events for days, the log
   * has deleted heads that no claim has skipped; their successors are younger.
   */
  async #replaceHeads(triggerId: string): Promise<void> {
    const { triggerDeliveries } = this.#deps.collections;
    const projection = { certificate: 1, at: 1, dueAt: 1 } as const;
    let [certificate, hasHead] = ["", false];
    for (let position: string | undefined; ; ) {
      const place = {
        state: "waiting" as const,
        trigger: triggerId,
        ...afterPosition(["certificate", "at"], position),
      };
      const found = await triggerDeliveries
        .find(place, { ...limited, projection })
        .sort({ certificate: 1, at: 1 })
        .limit(pageSize)
        .toArray();
      const headless: string[] = [];
      for (const entry of found) {
        // The oldest waiting event of a certificate is its head.
        if (entry.certificate !== certificate) [certificate, hasHead] = [entry.certificate, entry.dueAt !== undefined];
        if (!hasHead) headless.push(entry._id);
      }
      const fresh = { $set: { fresh: true } };
      await updateEach(triggerDeliveries, headless, { state: "waiting", dueAt: { $exists: false } }, fresh, limited);
      position = positionAfter(found, pageSize, (entry) => [entry.certificate, entry.at]);
      if (position === undefined) return;
    }
  }

  async #unlist(storeId: string, triggerId: string, session: ClientSession): Promise<void> {
    const { stores } = this.#deps.collections;
    await stores.updateOne({ _id: storeId }, { $pull: { triggers: { id: triggerId } } }, { session });
  }

  async #read(storeId: string, triggerId: string, session?: ClientSession): Promise<TriggerDocument> {
    const filter = { _id: triggerId, store: storeId };
    const found = await this.#deps.collections.triggers.findOne(filter, session ? { session } : limited);
    if (found === null) throw notFound("trigger");
    return found;
  }

  async #withCount(document: TriggerDocument): Promise<Trigger> {
    const filter = { state: "waiting" as const, trigger: document._id };
    const limit = { ...limited, limit: waitingCountMax };
    return triggerOf(document, await this.#deps.collections.triggerDeliveries.countDocuments(filter, limit));
  }
}

function enabledOf({ _id: id, events }: TriggerDocument): EnabledTrigger {
  return { id, events };
}

function withId(change: StoreChange, trigger: string): StoreChange {
  return { ...change, details: { ...change.details, trigger } };
}
