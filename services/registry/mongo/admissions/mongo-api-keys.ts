import { Binary, type ClientSession, type Document, type UpdateFilter } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import {
  type ApiKeyRecord,
  type ApiKeyReplacement,
  type ApiKeys,
  apiKeysMax,
  type KeyUse,
  type NewApiKey,
  type RecentKeysPage,
  type RecentKeysQuery,
} from "../../stores/api-keys.ts";
import type { StoreChange } from "../../stores/store-history.ts";
import { notFound } from "../../values/not-found.ts";
import type { AccessDocument, ApiKeyDocument } from "../documents/access-documents.ts";
import type { Collections } from "../documents/collections.ts";
import { databaseCall } from "../driver/database-error.ts";
import { addMs, type DatabaseTime, toDate, toMs } from "../driver/database-time.ts";
import { limited } from "../driver/time-limits.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";
import { isValidKey, validKeys } from "./api-key-expressions.ts";

type UseOptions = Parameters<ApiKeys["noteUses"]>[1];

const usesPerWrite = 500;

/** Implements ApiKeys on the `access` collection, using the database's clock. */
export class MongoApiKeys implements ApiKeys {
  readonly #access: Collections["access"];
  readonly #history: MongoStoreHistory;
  readonly #databaseTime: DatabaseTime;

  constructor(access: Collections["access"], history: MongoStoreHistory, databaseTime: DatabaseTime = () => "$$NOW") {
    this.#access = access;
    this.#history = history;
    this.#databaseTime = databaseTime;
  }

  async list(storeId: string): Promise<ApiKeyRecord[]> {
    const pipeline = [{ $match: { _id: storeId } }, { $project: { keys: validKeys(this.#databaseTime()) } }];
    const [found] = await databaseCall(() =>
      this.#access.aggregate<{ keys: ApiKeyDocument[] }>(pipeline, limited).toArray(),
    );
    if (found === undefined) throw notFound("store");
    return found.keys.map(recordOf);
  }

  add(storeId: string, key: NewApiKey, change: StoreChange): Promise<void> {
    const now = this.#databaseTime();
    return this.#history.record(storeId, change, async (session) => {
      const keys = await this.#setKeys({ _id: storeId }, withNewKey(validKeys(now), key, now), session);
      if (keys === undefined) throw notFound("store");
      requireKey(keys, key.id);
      return { hasChanged: true, value: undefined };
    });
  }

  replace(storeId: string, { oldKeyId, key, graceMs }: ApiKeyReplacement, change: StoreChange): Promise<Date | null> {
    const now = this.#databaseTime();
    const replaceable = { _id: storeId, keys: { $elemMatch: { id: oldKeyId, validUntil: null } } };
    const ending = validKeys(now, endingKey(oldKeyId, toDate(addMs(now, graceMs))));
    return this.#history.record(storeId, change, async (session) => {
      const keys = await this.#setKeys(replaceable, withNewKey(ending, key, now), session);
      if (keys === undefined) throw new ServiceError("conflict", reason("key_changed_meanwhile"));
      requireKey(keys, key.id);
      return { hasChanged: true, value: keys.find(({ id }) => id === oldKeyId)?.validUntil ?? null };
    });
  }

  rename(storeId: string, keyId: string, label: string, change: StoreChange): Promise<void> {
    return this.#changeKey(storeId, keyId, { $set: { "keys.$.label": label } }, change);
  }

  remove(storeId: string, keyId: string, change: StoreChange): Promise<void> {
    return this.#changeKey(storeId, keyId, { $pull: { keys: { id: keyId } } }, change);
  }

  #changeKey(storeId: string, keyId: string, update: UpdateFilter<AccessDocument>, change: StoreChange): Promise<void> {
    const filter = { _id: storeId, "keys.id": keyId };
    return this.#history.record(storeId, change, async (session) => {
      const { matchedCount } = await this.#access.updateOne(filter, update, { session });
      if (matchedCount === 0) throw notFound("API key");
      return { hasChanged: true, value: undefined };
    });
  }

  async noteUses(uses: readonly KeyUse[], options: UseOptions): Promise<void> {
    for (let first = 0; first < uses.length; first += usesPerWrite) {
      const writes = uses.slice(first, first + usesPerWrite).map((use) => ({ updateOne: useUpdate(use, options) }));
      await databaseCall(() => this.#access.bulkWrite(writes, { ...limited, ordered: false }));
    }
  }

  async listRecent({ usedAfter, afterStoreId, storesMax }: RecentKeysQuery): Promise<RecentKeysPage> {
    const isUsed = { $gt: [toMs("$$key.lastUsedAt"), toMs(usedAfter)] };
    const isRecent = { $and: [isUsed, isValidKey("$$key", this.#databaseTime())] };
    const pipeline = [
      { $match: { "keys.lastUsedAt": { $gt: usedAfter }, _id: { $gt: afterStoreId } } },
      { $sort: { _id: 1 } },
      { $limit: storesMax },
      { $project: { keys: { $filter: { input: "$keys", as: "key", cond: isRecent } } } },
    ];
    const stores = await databaseCall(() =>
      this.#access.aggregate<{ _id: string; keys: ApiKeyDocument[] }>(pipeline, limited).toArray(),
    );
    const keyHashes = stores.flatMap(({ keys }) => keys.map(({ hash }) => hash.value()));
    return { keyHashes, nextStoreId: stores.length < storesMax ? "" : (stores.at(-1)?._id ?? "") };
  }

  /** @returns the keys after the update; undefined when no document matches */
  async #setKeys(
    filter: Document,
    keys: Document,
    session: ClientSession,
  ): Promise<readonly ApiKeyDocument[] | undefined> {
    const options = { returnDocument: "after", projection: { keys: 1 }, session } as const;
    const found = await this.#access.findOneAndUpdate(filter, [{ $set: { keys } }], options);
    return found?.keys;
  }
}

type Now = ReturnType<DatabaseTime>;

/** Returns an expression for all keys, with `validUntil` set on the key with the given id. */
function endingKey(keyId: string, validUntil: Document): Document {
  const ending = { $mergeObjects: ["$$key", { validUntil }] };
  const isMatch = { $eq: ["$$key.id", keyId] };
  return { $map: { input: "$keys", as: "key", in: { $cond: [isMatch, ending, "$$key"] } } };
}

/** Returns an expression that appends a new key; evaluates to the stored keys unchanged if the maximum is reached. */
function withNewKey(keys: Document, { id, label, prefix, hash }: NewApiKey, now: Now): Document {
  // A label may start with a dollar sign; without $literal, MongoDB would evaluate it as a field path.
  const literals = { id, label: { $literal: label }, prefix, hash: { $literal: new Binary(hash) } };
  const extended = { $concatArrays: ["$$kept", [{ ...literals, createdAt: now }]] };
  const hasRoom = { $lt: [{ $size: "$$kept" }, apiKeysMax] };
  return { $let: { vars: { kept: keys }, in: { $cond: [hasRoom, extended, "$keys"] } } };
}

// Skips the write if this or another replica has already recorded a use of the key within the interval, or a later one:
// a replica that was paused records its uses late. A use in the future was recorded before the clock was set back.
function useUpdate({ keyHash, at }: KeyUse, { now, intervalMs }: UseOptions) {
  const recent = { $gt: new Date(at.getTime() - intervalMs), $lte: new Date(now.getTime() + intervalMs) };
  return {
    filter: { keys: { $elemMatch: { hash: new Binary(keyHash), lastUsedAt: { $not: recent } } } },
    update: { $set: { "keys.$.lastUsedAt": at } },
  };
}

function requireKey(keys: readonly ApiKeyDocument[], keyId: string): void {
  if (keys.some(({ id }) => id === keyId)) return;
  throw new ServiceError("failed_precondition", reason("too_many_api_keys", { count: apiKeysMax }));
}

function recordOf({ id, label, prefix, createdAt, lastUsedAt, validUntil }: ApiKeyDocument): ApiKeyRecord {
  return {
    id,
    label,
    prefix: prefix ?? "",
    createdAt,
    lastUsedAt: lastUsedAt ?? null,
    validUntil: validUntil ?? null,
  };
}
