import { Binary, type Document } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import {
  type ApiKeyRecord,
  type ApiKeyReplacement,
  type ApiKeys,
  apiKeysMax,
  type KeyUse,
  type NewApiKey,
} from "../stores/api-keys.ts";
import { isValidKey } from "./api-key-expressions.ts";
import type { Collections } from "./collections.ts";
import { databaseError } from "./database-error.ts";
import { type DatabaseTime, dateAfter } from "./database-time.ts";
import type { ApiKeyDocument } from "./documents.ts";

const usesPerWrite = 500;

/** API keys in the documents of `access`, by the database's clock. */
export class MongoApiKeys implements ApiKeys {
  readonly #access: Collections["access"];
  readonly #databaseTime: DatabaseTime;

  constructor(access: Collections["access"], databaseTime: DatabaseTime = () => "$$NOW") {
    this.#access = access;
    this.#databaseTime = databaseTime;
  }

  async list(storeId: string): Promise<ApiKeyRecord[]> {
    const pipeline = [{ $match: { _id: storeId } }, { $project: { keys: validKeys(this.#databaseTime()) } }];
    try {
      const [found] = await this.#access.aggregate<{ keys: ApiKeyDocument[] }>(pipeline).toArray();
      if (found === undefined) throw noSuchStore();
      return found.keys.map(recordOf);
    } catch (error) {
      throw databaseError(error);
    }
  }

  async add(storeId: string, key: NewApiKey): Promise<void> {
    const now = this.#databaseTime();
    const keys = await this.#setKeys({ _id: storeId }, withNewKey(validKeys(now), key, now));
    if (keys === undefined) throw noSuchStore();
    requireKey(keys, key.id);
  }

  async replace(storeId: string, { oldKeyId, key, graceMs }: ApiKeyReplacement): Promise<Date | null> {
    const now = this.#databaseTime();
    const replaceable = { _id: storeId, keys: { $elemMatch: { id: oldKeyId, validUntil: null } } };
    const ending = validKeys(now, endingKey(oldKeyId, dateAfter(now, graceMs)));
    const keys = await this.#setKeys(replaceable, withNewKey(ending, key, now));
    if (keys === undefined)
      throw new ServiceError("conflict", "The key was rolled or revoked at the same time. Look at the keys.");
    requireKey(keys, key.id);
    return keys.find(({ id }) => id === oldKeyId)?.validUntil ?? null;
  }

  async remove(storeId: string, keyId: string): Promise<void> {
    try {
      const filter = { _id: storeId, "keys.id": keyId };
      const { matchedCount } = await this.#access.updateOne(filter, { $pull: { keys: { id: keyId } } });
      if (matchedCount === 0) throw new ServiceError("not_found", "The store has no such API key.");
    } catch (error) {
      throw databaseError(error);
    }
  }

  async noteUses(uses: readonly KeyUse[], everyMs: number): Promise<void> {
    try {
      for (let first = 0; first < uses.length; first += usesPerWrite) {
        const writes = uses
          .slice(first, first + usesPerWrite)
          .map((use) => ({ updateOne: useUpdate(use, everyMs) }));
        await this.#access.bulkWrite(writes, { ordered: false });
      }
    } catch (error) {
      throw databaseError(error);
    }
  }

  /** @returns the keys afterwards; undefined when no document matches */
  async #setKeys(filter: Document, keys: Document): Promise<readonly ApiKeyDocument[] | undefined> {
    try {
      const options = { returnDocument: "after", projection: { keys: 1 } } as const;
      return (await this.#access.findOneAndUpdate(filter, [{ $set: { keys } }], options))?.keys;
    } catch (error) {
      throw databaseError(error);
    }
  }
}

type Now = ReturnType<DatabaseTime>;

/** The expression for those of the keys that are valid; the others go with the next change. */
function validKeys(now: Now, keys: Document | "$keys" = "$keys"): Document {
  return { $filter: { input: keys, as: "key", cond: isValidKey("$$key", now) } };
}

/** The expression for the keys, of which one is valid until then. */
function endingKey(keyId: string, validUntil: Document): Document {
  const ended = { $mergeObjects: ["$$key", { validUntil }] };
  const isIt = { $eq: ["$$key.id", keyId] };
  return { $map: { input: "$keys", as: "key", in: { $cond: [isIt, ended, "$$key"] } } };
}

/** The expression for keys and one more; for the present keys, as they are, where that would be too many. */
function withNewKey(keys: Document, { id, label, prefix, hash }: NewApiKey, now: Now): Document {
  // A label may begin with a dollar sign, as field names do in expressions.
  const literals = { id, label: { $literal: label }, prefix, hash: { $literal: new Binary(hash) } };
  const more = { $concatArrays: ["$$kept", [{ ...literals, createdAt: now }]] };
  const hasRoom = { $lt: [{ $size: "$$kept" }, apiKeysMax] };
  return { $let: { vars: { kept: keys }, in: { $cond: [hasRoom, more, "$keys"] } } };
}

// Other replicas note uses, too: the filter passes over what one of them has just written.
function useUpdate({ keyHash, at }: KeyUse, everyMs: number) {
  const justNoted = { $gt: new Date(at.getTime() - everyMs) };
  return {
    filter: { keys: { $elemMatch: { hash: new Binary(keyHash), lastUsedAt: { $not: justNoted } } } },
    update: { $set: { "keys.$.lastUsedAt": at } },
  };
}

function requireKey(keys: readonly ApiKeyDocument[], keyId: string): void {
  if (keys.some(({ id }) => id === keyId)) return;
  throw new ServiceError(
    "failed_precondition",
    `The store has ${apiKeysMax} API keys, the most it can have. Revoke one that is not used any more.`,
  );
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

function noSuchStore(): ServiceError {
  return new ServiceError("not_found", "There is no such store.");
}
