import { isPlainObject } from "../../harness/database-commands/shape.ts";
import { type Doc, isSame, keyOf, rankOf } from "./bson-value.ts";
import { isOperator } from "./expression.ts";
import { valuesAt } from "./field-path.ts";
import { type Matcher, matcherOf } from "./filter.ts";
import { ServerError } from "./server-error.ts";
import type { StoredDocument, Timeline, Transaction } from "./timeline.ts";

/** What a command sees: a transaction's snapshot with its own changes, the state at a commit, or the latest state. */
interface View {
  readonly transaction?: Transaction | undefined;
  readonly at?: number | undefined;
}

/** A document that a view shows, with its value there. */
export type Found = readonly [StoredDocument, Doc];

/** Thrown when a transaction has changed the document: a writer outside of transactions waits for its end. */
export class LockedBy extends Error {
  readonly writer: Transaction;

  constructor(writer: Transaction) {
    super("the document is locked");
    this.writer = writer;
  }
}

const epoch = new Date(0);

/** An index. Only unique and TTL indexes have an effect: queries examine each document, or look up its `_id`. */
interface Index {
  readonly name: string;
  readonly key: Doc;
  readonly paths: readonly (readonly string[])[];
  readonly covers: Matcher;
  readonly definition: Doc;
  /** Of a unique index: the documents that have a key, and some that had it. */
  readonly entries: Map<string, Set<StoredDocument>> | undefined;
}

/** A collection with multi-version documents and unique indexes. */
export class StoredCollection {
  readonly name: string;
  readonly #timeline: Timeline;
  readonly #documents = new Map<string, StoredDocument>();
  readonly #indexes = new Map<string, Index>();

  constructor(name: string, timeline: Timeline) {
    this.name = name;
    this.#timeline = timeline;
    this.addIndex({ key: { _id: 1 }, name: "_id_" });
  }

  /** Returns the indexes as `listIndexes` does. */
  get indexDefinitions(): Doc[] {
    return Array.from(this.#indexes.values(), ({ definition }) => definition);
  }

  /** Adds an index. @throws ServerError if another one has the name, or if documents violate a unique index */
  addIndex(given: Doc): void {
    const definition: Doc = { v: 2, ...given };
    const { name, key, partialFilterExpression = {}, unique } = definition;
    if (typeof name !== "string" || !isPlainObject(key) || !isPlainObject(partialFilterExpression))
      throw new ServerError("BadValue", "an index needs a name and a key");
    const found = this.#indexes.get(name);
    if (found !== undefined && !isSame(orderless(found.definition), orderless(definition)))
      throw new ServerError("IndexOptionsConflict", `an index with the name ${name} exists with other options`);
    if (found !== undefined) return;
    const entries = unique === true ? new Map<string, Set<StoredDocument>>() : undefined;
    const paths = Object.keys(key).map((path) => path.split("."));
    const index = { name, key, paths, covers: matcherOf(partialFilterExpression), definition, entries };
    for (const [document, value] of this.#readAll({})) {
      const keys = keysOf(index, value);
      this.#requireUnique(index, keys, document, value, undefined);
      enter(index, keys, document);
    }
    this.#indexes.set(name, index);
  }

  /** Changes the life of a TTL index. */
  changeLife(name: string, expireAfterSeconds: unknown): void {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new ServerError("IndexNotFound", `there is no index ${name}`);
    this.#indexes.set(name, { ...index, definition: { ...index.definition, expireAfterSeconds } });
  }

  dropIndex(name: string): void {
    if (!this.#indexes.delete(name)) throw new ServerError("IndexNotFound", `there is no index ${name}`);
  }

  /** Returns the document with this id, if it matches. */
  findById(id: unknown, matches: Matcher, view: View, now: Date): Found | undefined {
    const key = keyOf(id);
    const document = this.#documents.get(key);
    if (document === undefined) return undefined;
    const value = this.#read(key, document, view);
    return value !== undefined && matches(value, now) ? [document, value] : undefined;
  }

  /** Returns the documents that match a filter. A filter with ids looks them up. */
  find(filter: Doc, view: View, now: Date): Found[] {
    const matches = matcherOf(filter);
    const found: Found[] = [];
    for (const [id, document] of this.#candidates(filter)) {
      if (document === undefined) continue;
      const value = this.#read(id, document, view);
      if (value !== undefined && matches(value, now)) found.push([document, value]);
    }
    return found;
  }

  /** Returns each document as the view of the moment shows it if it then matches a filter, else `undefined`. */
  *scan(filter: Doc, viewNow: () => View, now: Date): Generator<Doc | undefined> {
    const matches = matcherOf(filter);
    for (const [id, document] of this.#candidates(filter)) {
      const value = document && this.#read(id, document, viewNow());
      yield value !== undefined && matches(value, now) ? value : undefined;
    }
  }

  /** Inserts a document. @throws ServerError for a duplicate, or as {@link write}; LockedBy */
  insert(value: Doc, transaction: Transaction | undefined): void {
    const id = keyOf(value._id);
    const stored = this.#documents.get(id);
    if (stored !== undefined) requireFree(stored, transaction);
    if (stored !== undefined && valueIn(stored, { transaction }) !== undefined)
      throw this.#duplicateKey("_id_", { _id: 1 }, value);
    const document = stored ?? { versions: [], writer: undefined, pending: undefined };
    this.write(document, value, transaction);
    this.#documents.set(id, document);
  }

  /**
   * Replaces or deletes a document.
   *
   * @throws ServerError if another document has a unique key of the value, or if the document, or the one with the key,
   * has changed since the transaction's snapshot or is being changed in another transaction; LockedBy
   */
  write(document: StoredDocument, value: Doc | undefined, transaction: Transaction | undefined): void {
    requireFree(document, transaction);
    if (value !== undefined) {
      const indexed: (readonly [Index, readonly string[]])[] = [];
      for (const index of this.#indexes.values())
        if (index.entries !== undefined) indexed.push([index, keysOf(index, value)]);
      for (const [index, keys] of indexed) this.#requireUnique(index, keys, document, value, transaction);
      for (const [index, keys] of indexed) enter(index, keys, document);
    }
    if (transaction === undefined) this.#timeline.append(document, value);
    else transaction.change(document, value);
  }

  /** Deletes the documents whose life has ended, as the TTL monitor does every minute. @returns their number */
  removeExpired(now: Date): number {
    let count = 0;
    for (const { definition, key, covers } of this.#indexes.values()) {
      if (definition.expireAfterSeconds === undefined) continue;
      const [path = ""] = Object.keys(key);
      const latestMs = now.getTime() - Number(definition.expireAfterSeconds) * 1_000;
      const hasEnded = (time: unknown) => time instanceof Date && time.getTime() <= latestMs;
      for (const [document, value] of this.#readAll({})) {
        if (document.writer !== undefined || !covers(value, now)) continue;
        if (!valuesAt(value, path.split(".")).flat().some(hasEnded)) continue;
        this.write(document, undefined, undefined);
        count += 1;
      }
    }
    return count;
  }

  /** Returns the documents that a majority has. */
  copy(): Doc[] {
    return this.find({}, { at: this.#timeline.majority }, epoch).map(([, value]) => value);
  }

  /** Replaces all documents, as a restore does. No transaction may be open. */
  replaceAll(values: readonly Doc[]): void {
    this.#documents.clear();
    for (const { entries } of this.#indexes.values()) entries?.clear();
    for (const value of values) this.insert(value, undefined);
  }

  /** Takes back the commits after one. No transaction may be open. */
  rollBack(at: number): void {
    for (const { entries } of this.#indexes.values()) entries?.clear();
    for (const [id, document] of this.#documents) {
      document.versions = document.versions.filter((version) => version.at <= at);
      const value = document.versions.at(-1)?.value;
      if (document.versions.length === 0) this.#documents.delete(id);
      else if (value !== undefined)
        for (const index of this.#indexes.values()) enter(index, keysOf(index, value), document);
    }
  }

  /** Returns all documents as the view shows them. */
  #readAll(view: View): Found[] {
    return this.find({}, view, epoch);
  }

  /** Returns the documents that a filter may match: those with its ids, or all. */
  #candidates({ _id }: Doc): Iterable<readonly [string, StoredDocument | undefined]> {
    const ids = idsOf(_id);
    return ids === undefined ? this.#documents : this.#withIds(ids);
  }

  *#withIds(ids: ReadonlySet<string>): Generator<readonly [string, StoredDocument | undefined]> {
    for (const id of ids) yield [id, this.#documents.get(id)];
  }

  #read(id: string, document: StoredDocument, view: View): Doc | undefined {
    const value = valueIn(document, view);
    if (value === undefined && this.#timeline.isForgotten(document)) this.#documents.delete(id);
    return value;
  }

  #requireUnique(
    index: Index,
    keys: readonly string[],
    document: StoredDocument,
    value: Doc,
    transaction: Transaction | undefined,
  ): void {
    for (const key of keys) {
      for (const other of index.entries?.get(key) ?? []) {
        if (other === document) continue;
        const isPending = hasKey(index, other.pending, key);
        const isOwn = transaction !== undefined && other.writer === transaction;
        // A key that the snapshot still shows conflicts with the change that has removed it.
        const isSeen = hasKey(index, valueIn(other, { transaction }), key);
        if (!isPending && !isSeen && !hasKey(index, other.versions.at(-1)?.value, key)) continue;
        // This transaction has removed the key from the other document.
        if (isOwn && !isPending) continue;
        requireFree(other, transaction);
        throw this.#duplicateKey(index.name, index.key, value);
      }
    }
  }

  #duplicateKey(index: string, keyPattern: Doc, value: Doc): ServerError {
    const keyValue = Object.fromEntries(
      Object.keys(keyPattern).map((path) => [path, valuesAt(value, path.split("."))[0] ?? null]),
    );
    const message = `E11000 duplicate key error collection: ${this.name} index: ${index} dup key: ${JSON.stringify(keyOf(keyValue))}`;
    return new ServerError("DuplicateKey", message, { keyPattern, keyValue });
  }
}

function valueIn({ versions, writer, pending }: StoredDocument, { transaction, at }: View): Doc | undefined {
  if (transaction !== undefined && writer === transaction) return pending;
  const latest = transaction?.snapshot ?? at;
  const last = versions.at(-1);
  if (last === undefined || latest === undefined || last.at <= latest) return last?.value;
  return versions.findLast((version) => version.at <= latest)?.value;
}

/** @throws ServerError if a transaction conflicts with another one, or with a change since its snapshot; LockedBy */
function requireFree({ versions, writer }: StoredDocument, transaction: Transaction | undefined): void {
  if (writer !== undefined && writer === transaction) return;
  if (transaction === undefined) {
    if (writer !== undefined) throw new LockedBy(writer);
  } else if (writer !== undefined || (versions.at(-1)?.at ?? 0) > transaction.snapshot) {
    throw new ServerError("WriteConflict", "Write conflict during plan execution and yielding is disabled.");
  }
}

function enter({ entries }: Index, keys: readonly string[], document: StoredDocument): void {
  for (const key of keys) {
    const documents = entries?.get(key);
    if (documents === undefined) entries?.set(key, new Set([document]));
    else documents.add(document);
  }
}

function hasKey(index: Index, value: Doc | undefined, key: string): boolean {
  return value !== undefined && keysOf(index, value).includes(key);
}

/**
 * Returns the keys of a document in a unique index: one for each item of an array, and none if the index does not cover
 * the document.
 */
function keysOf({ entries, covers, paths }: Index, value: Doc): string[] {
  if (entries === undefined || !covers(value, epoch)) return [];
  let keys = [""];
  for (const path of paths) {
    const values = valuesAt(value, path).flat();
    const texts = values.length === 1 ? [keyOf(values[0])] : Array.from(new Set(values.map(keyOf)));
    keys = keys.flatMap((prefix) => texts.map((text) => `${prefix}|${text}`));
  }
  return keys;
}

function orderless(definition: Doc): Doc {
  const { key, ...others } = definition;
  return Object.fromEntries([
    ["key", key],
    ...Object.entries(others).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ]);
}

/** Returns the ids that a condition requires; `undefined` if it permits others. */
function idsOf(condition: unknown): ReadonlySet<string> | undefined {
  if (condition === undefined || condition instanceof RegExp) return undefined;
  if (!isPlainObject(condition) || !isOperator(condition)) return new Set([keyOf(condition)]);
  if ("$eq" in condition) return new Set([keyOf(condition.$eq)]);
  const list = condition.$in;
  if (!Array.isArray(list) || list.some((one) => rankOf(one) === 0 || one instanceof RegExp)) return undefined;
  return new Set(list.map(keyOf));
}
