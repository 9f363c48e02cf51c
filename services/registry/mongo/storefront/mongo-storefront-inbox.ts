import { LRUCache } from "lru-cache";
import type { Document } from "mongodb";
import { Batcher } from "#shared/batching/batcher.ts";
import { erasureStart } from "#shared/erasure/erase-until-nothing-is-found.ts";
import { Places } from "#shared/limits/places.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type MessageContent, orderMessageKinds, type StorefrontMessage } from "../../storefront/message.ts";
import {
  type Attempt,
  type DataRequest,
  dataRequestsMax,
  type Erasing,
  type MessageGroup,
  type StorefrontInbox,
  type WaitingMessage,
} from "../../storefront/storefront-storage.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey, idIn } from "../documents/compound-key.ts";
import type { StorefrontMessageDocument } from "../documents/storefront-documents.ts";
import { bulkDuplicates } from "../driver/bulk-duplicates.ts";
import { databaseCall } from "../driver/database-error.ts";
import { type DatabaseTime, later } from "../driver/database-time.ts";
import { atMost, limited } from "../driver/time-limits.ts";
import { updateEach } from "../driver/write-each.ts";
import {
  attemptsOf,
  beginAttempt,
  noteSurvived,
  recordAttempt,
  upsertStorefront,
  wakeUpdate,
} from "../due-work/due-orders.ts";
import { dueFilter } from "../due-work/due-times.ts";
import { hasFailed } from "./storefront-problems.ts";

const dataRequestKind = "customer_data_request";
// The arrivals of many stores must leave connections to other work, also while the database is slow.
const arrivalsMax = 8;
const arrivalLimits = atMost(2_000);
// Also one that was set aside as failed while a slow worker was at it, because the worker completes it.
const isNotDone = { $or: [{ dueAt: { $exists: true } }, { failure: { $exists: true } }] };

type InboxCollections = Pick<Collections, "imports" | "storefrontMessages" | "storefronts">;

/** Implements StorefrontInbox with MongoDB. */
export class MongoStorefrontInbox implements StorefrontInbox {
  readonly #collections: InboxCollections;
  readonly #clock: Clock;
  readonly #databaseTime: DatabaseTime;
  // Messages that arrive at the same time share a write.
  readonly #batcher = new Batcher<StorefrontMessageDocument, boolean>((batch) => this.#insertAll(batch), {
    batchMax: 100,
    concurrencyMax: 2,
  });
  // A batcher for each store: a transaction that holds one store's document delays only that store's messages.
  readonly #arrivals = new LRUCache<string, Batcher<boolean, undefined>>({
    max: 1_000,
    memoMethod: (storeId) => new Batcher((areWaiting) => this.#noteArrivals(storeId, areWaiting)),
  });

  // Each store has at most one batch, so the wait needs no bound of its own.
  readonly #places = new Places({
    inFlightMax: arrivalsMax,
    inFlightPerStoreMax: 1,
    waitingMax: Number.POSITIVE_INFINITY,
  });

  constructor(collections: InboxCollections, clock: Clock, databaseTime: DatabaseTime = () => "$$NOW") {
    this.#collections = collections;
    this.#clock = clock;
    this.#databaseTime = databaseTime;
  }

  async add(
    storeId: string,
    message: StorefrontMessage,
    state: "waiting" | "done" | { readonly failure: Reason },
  ): Promise<boolean> {
    const receivedAt = new Date(this.#clock.now());
    const { id, topic, triggeredAtMs, content } = message;
    const document: StorefrontMessageDocument = {
      _id: compoundKey(storeId, id),
      store: storeId,
      kind: content.kind,
      topic,
      attempts: 0,
      triggeredAt: new Date(triggeredAtMs),
      receivedAt,
      content: state === "done" ? "" : JSON.stringify(content),
      ...(state === "waiting" && { dueAt: receivedAt }),
      ...(typeof state === "object" && state),
    };
    const isNew = await this.#batcher.add(document);
    // Also for a message that was stored already: the process that stored it may have died before this step.
    await this.#arrivals.memo(storeId).add(state === "waiting");
    return isNew;
  }

  /** Inserts documents. @returns for each whether it was new */
  async #insertAll(documents: readonly StorefrontMessageDocument[]): Promise<boolean[]> {
    const options = { ...limited, ordered: false };
    const { indexes } = await databaseCall(() =>
      bulkDuplicates(this.#collections.storefrontMessages.insertMany([...documents], options)),
    );
    return documents.map((_document, index) => !indexes.includes(index));
  }

  /** Sets `lastMessageAt` of a store, and makes its work due if one of its new messages is waiting. */
  async #noteArrivals(storeId: string, areWaiting: readonly boolean[]): Promise<undefined[]> {
    const now = new Date(this.#clock.now());
    const update = { $max: { lastMessageAt: now }, ...(areWaiting.includes(true) && wakeUpdate(now)) };
    const { storefronts } = this.#collections;
    const write = () => databaseCall(() => upsertStorefront(storefronts, storeId, update, arrivalLimits));
    await this.#places.run(storeId, write);
    return areWaiting.map(() => undefined);
  }

  has(storeId: string, messageId: string): Promise<boolean> {
    const filter = { _id: compoundKey(storeId, messageId) };
    return databaseCall(async () => (await this.#collections.storefrontMessages.findOne(filter, limited)) !== null);
  }

  countFailed(storeId: string, countMax: number): Promise<number> {
    const filter = { store: storeId, ...hasFailed };
    const upTo = { ...limited, limit: countMax };
    return databaseCall(() => this.#collections.storefrontMessages.countDocuments(filter, upTo));
  }

  takeDue(storeId: string, group: MessageGroup, countMax: number): Promise<WaitingMessage[]> {
    // Kinds that only a later version knows belong to the group `customers`.
    const kind = group === "orders" ? { $in: [...orderMessageKinds] } : { $nin: [...orderMessageKinds] };
    const filter = dueFilter({ store: storeId, kind }, this.#clock);
    return databaseCall(() =>
      this.#collections.storefrontMessages
        .find(filter, limited)
        .sort({ dueAt: 1 })
        .limit(countMax)
        .map(({ _id, topic, triggeredAt, dueAt, content, erasing, erasure, rewrites = 0, ...counts }) => ({
          id: idIn(_id),
          topic,
          // The filter selects no message without it.
          dueAt: dueAt ?? new Date(0),
          triggeredAtMs: triggeredAt.getTime(),
          ...attemptsOf(counts),
          erasing: erasing && erasingOf(erasing, erasure),
          rewrites,
          content: contentOf(content),
        }))
        .toArray(),
    );
  }

  settle(storeId: string, messages: readonly Pick<WaitingMessage, "id" | "rewrites">[]): Promise<boolean> {
    const { storefrontMessages } = this.#collections;
    // Also what another worker has recorded, which took this one for dead.
    const $unset = { dueAt: 1, erasing: 1, erasure: 1, failure: 1 } as const;
    const isOrderMessage = { kind: { $in: [...orderMessageKinds] } } as const;
    const groups = Map.groupBy(messages, ({ rewrites }) => rewrites);
    return databaseCall(async () => {
      let left = messages.length;
      for (const [rewrites, group] of groups) {
        const ids = group.map(({ id }) => compoundKey(storeId, id));
        const settleThose = (filter: Document, update: Document) =>
          updateEach(storefrontMessages, ids, filter, update, limited);
        const isUnchanged = { ...isOrderMessage, rewrites: rewrites === 0 ? { $exists: false } : rewrites };
        const done = { $unset, $set: { attempts: 0, content: "" } };
        const settledCount = await settleThose(isUnchanged, done);
        left -= settledCount;
        if (settledCount === group.length) continue;
        left -= await settleThose({ kind: { $nin: [...orderMessageKinds, dataRequestKind] } }, done);
        left -= await settleThose({ kind: dataRequestKind }, { $unset, $set: { attempts: 0 } });
      }
      return left === 0;
    });
  }

  begin(storeId: string, messageId: string, workerId: string, dueAt: Date): Promise<boolean> {
    const { storefrontMessages } = this.#collections;
    return beginAttempt(storefrontMessages, { _id: compoundKey(storeId, messageId) }, workerId, dueAt);
  }

  noteSurvived(storeId: string, messageId: string): Promise<void> {
    return noteSurvived(this.#collections.storefrontMessages, { _id: compoundKey(storeId, messageId) });
  }

  record(storeId: string, messageId: string, attempt: Attempt): Promise<boolean> {
    return recordAttempt(this.#collections.storefrontMessages, { _id: compoundKey(storeId, messageId) }, attempt);
  }

  beginErasing(storeId: string, messageId: string, emails: readonly string[]): Promise<Erasing | undefined> {
    const { imports, storefrontMessages } = this.#collections;
    const filter = { _id: compoundKey(storeId, messageId), ...isNotDone };
    return databaseCall(async () => {
      const latest = { ...limited, sort: { createdAt: -1 }, projection: { createdAt: 1 } } as const;
      const newest = await imports.findOne({ store: storeId }, latest);
      // Later than any import so far, whose time is ahead if the database's clock has been set back.
      const since = later(this.#databaseTime(), new Date((newest?.createdAt.getTime() ?? 0) + 1));
      const erasure = { $mergeObjects: [{ $literal: erasureStart }, { since }] };
      // What another worker has begun stays: after its first steps, the addresses can no longer be found.
      const $set = {
        erasing: { $ifNull: ["$erasing", { $literal: [...emails] }] },
        erasure: { $ifNull: ["$erasure", erasure] },
      };
      const how = { ...limited, returnDocument: "after" } as const;
      const found = await storefrontMessages.findOneAndUpdate(filter, [{ $set }], how);
      return found?.erasing && erasingOf(found.erasing, found.erasure);
    });
  }

  async noteErasing(storeId: string, messageId: string, { emails, since, progress }: Erasing): Promise<void> {
    const filter = { _id: compoundKey(storeId, messageId), ...isNotDone };
    const update = { $set: { erasing: [...emails], erasure: { ...progress, since } } };
    await databaseCall(() => this.#collections.storefrontMessages.updateOne(filter, update, limited));
  }

  dataRequests(storeId: string): Promise<DataRequest[]> {
    return databaseCall(async () => {
      const found = await this.#collections.storefrontMessages
        .find({ store: storeId, kind: dataRequestKind }, limited)
        .sort({ receivedAt: -1 })
        .limit(dataRequestsMax)
        .toArray();
      return found.flatMap(({ _id, receivedAt, content: stored }) => {
        const content = contentOf(stored);
        return content.kind === dataRequestKind ? [{ id: idIn(_id), requestedAt: receivedAt, content }] : [];
      });
    });
  }
}

function erasingOf(emails: readonly string[], erasure: StorefrontMessageDocument["erasure"]): Erasing {
  if (erasure === undefined) return { emails, since: new Date(0), progress: erasureStart };
  const { since, ...progress } = erasure;
  return { emails, since, progress };
}

// Only the registry writes this JSON, so it needs no validation. A message that cannot be read fails on its own, and
// does not hold up the others of its store.
function contentOf(text: string): MessageContent {
  try {
    return JSON.parse(text) as MessageContent;
  } catch {
    return { kind: "unreadable", problem: reason("internal_error") };
  }
}
