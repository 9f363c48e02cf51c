import { z } from "zod";
import { sum } from "../../harness/statistics.ts";
import { type Doc, isSame } from "./bson-value.ts";
import type { CommandContext, CommandHandler, Written } from "./command-context.ts";
import { commandSchema, doc } from "./command-schema.ts";
import { matcherOf } from "./filter.ts";
import { ServerError } from "./server-error.ts";
import { project, sorted } from "./stages.ts";
import type { Found, StoredCollection } from "./stored-collection.ts";
import { applyUpdate, type Update, upserted } from "./update.ts";

const update = z.union([z.array(doc), doc]);
const ordered = z.boolean().default(true);

const updateStatement = z.strictObject({
  q: doc,
  u: update,
  multi: z.boolean().default(false),
  upsert: z.boolean().default(false),
});
const deleteStatement = z.strictObject({ q: doc, limit: z.coerce.number() });

const insertCommand = commandSchema({ insert: z.string(), documents: z.array(doc), ordered });
const updateCommand = commandSchema({ update: z.string(), updates: z.array(updateStatement), ordered });
const deleteCommand = commandSchema({ delete: z.string(), deletes: z.array(deleteStatement), ordered });

const findAndModifyCommand = commandSchema({
  findAndModify: z.string(),
  query: doc.default({}),
  sort: doc.default({}),
  update: update.optional(),
  remove: z.boolean().default(false),
  new: z.boolean().default(false),
  upsert: z.boolean().default(false),
  fields: doc.default({}),
});

const bulkWriteCommand = commandSchema({
  bulkWrite: z.literal(1),
  nsInfo: z.array(z.strictObject({ ns: z.string() })),
  ops: z.array(
    z.union([
      z.strictObject({ insert: z.number(), document: doc }),
      z.strictObject({
        update: z.number(),
        filter: doc,
        updateMods: update,
        multi: z.boolean().default(false),
        upsert: z.boolean().default(false),
      }),
      z.strictObject({ delete: z.number(), filter: doc, multi: z.boolean().default(false) }),
    ]),
  ),
  ordered,
  errorsOnly: z.boolean().default(false),
});

interface UpdateStatement {
  readonly filter: Doc;
  readonly update: Update;
  readonly isMulti: boolean;
  readonly isUpsert: boolean;
}

async function insertOne(context: CommandContext, collection: StoredCollection, document: Doc): Promise<Written> {
  await context.attempt(() => collection.insert(document, context.transaction));
  return { n: 1 };
}

async function updateDocuments(
  context: CommandContext,
  collection: StoredCollection,
  statement: UpdateStatement,
): Promise<Written> {
  const { filter, isMulti, isUpsert } = statement;
  const { transaction, now } = context;
  const matching = () => collection.find(filter, { transaction }, now);
  if (!isMulti) {
    const result = await context.attempt(() => {
      const [first] = matching();
      if (first !== undefined) return { modified: replace(context, collection, first, statement) };
      if (!isUpsert) return undefined;
      const document = upserted(filter, statement.update, now);
      collection.insert(document, transaction);
      return { upserted: document._id };
    });
    if (result === undefined) return { n: 0, nModified: 0 };
    return "upserted" in result
      ? { n: 1, nModified: 0, upserted: result.upserted }
      : { n: 1, nModified: result.modified };
  }
  // Each document changes by itself, if it still matches then.
  let [n, nModified] = [0, 0];
  const matches = matcherOf(filter);
  for (const [, { _id }] of matching()) {
    await context.pause();
    const changed = await context.attempt(() => {
      const found = collection.findById(_id, matches, { transaction }, now);
      return found && replace(context, collection, found, statement);
    });
    if (changed === undefined) continue;
    n += 1;
    nModified += changed;
  }
  return { n, nModified };
}

/** Updates a document. @returns 1, or 0 if the update changes nothing: it then writes nothing, and locks nothing */
function replace(
  { transaction, now }: CommandContext,
  collection: StoredCollection,
  [document, value]: Found,
  { filter, update }: Pick<UpdateStatement, "filter" | "update">,
): number {
  const changed = applyUpdate(value, update, { filter, now });
  if (isSame(changed, value)) return 0;
  collection.write(document, changed, transaction);
  return 1;
}

async function deleteDocuments(
  context: CommandContext,
  collection: StoredCollection,
  filter: Doc,
  isMulti: boolean,
): Promise<Written> {
  const { transaction, now } = context;
  const found = collection.find(filter, { transaction }, now);
  const matches = matcherOf(filter);
  let n = 0;
  for (const [, { _id }] of isMulti ? found : found.slice(0, 1)) {
    if (isMulti) await context.pause();
    n += await context.attempt(() => {
      const one = collection.findById(_id, matches, { transaction }, now);
      if (one !== undefined) collection.write(one[0], undefined, transaction);
      return one === undefined ? 0 : 1;
    });
  }
  return { n };
}

/** The results of a batch's statements, by index. */
interface Batch {
  readonly written: Map<number, Written>;
  readonly errors: Map<number, ServerError>;
}

/**
 * Runs statements; an ordered batch ends with the first error.
 *
 * @throws ServerError for an error that ends the whole command
 */
async function runBatch(
  { executed, pause, writtenAt }: CommandContext,
  statements: readonly (() => Promise<Written>)[],
  isOrdered: boolean,
): Promise<Batch> {
  const batch: Batch = { written: new Map(), errors: new Map() };
  for (const [index, run] of statements.entries()) {
    try {
      const earlier = executed?.get(index);
      if (earlier === undefined && index > 0) await pause();
      const written = earlier?.written ?? (await run());
      batch.written.set(index, written);
      executed?.set(index, earlier ?? { written, at: writtenAt() });
    } catch (error) {
      if (!(error instanceof ServerError) || error.errorName !== "DuplicateKey") throw error;
      batch.errors.set(index, error);
      if (isOrdered) break;
    }
  }
  return batch;
}

function batchReply({ written, errors }: Batch, hasModified: boolean): Doc {
  const results = Array.from(written.values());
  const inserted = Array.from(written).filter(([, { upserted: id }]) => id !== undefined);
  return {
    n: sum(results.map(({ n }) => n)),
    ...(hasModified && { nModified: sum(results.map(({ nModified = 0 }) => nModified)) }),
    ...(inserted.length > 0 && { upserted: inserted.map(([index, { upserted: _id }]) => ({ index, _id })) }),
    ...(errors.size > 0 && { writeErrors: Array.from(errors, ([index, error]) => ({ index, ...errorFields(error) })) }),
  };
}

function errorFields({ code, message, details }: ServerError): Doc {
  return { code, errmsg: message, ...details };
}

const insert: CommandHandler = async (context, command) => {
  const { insert: name, documents, ordered: isOrdered } = insertCommand.parse(command);
  const collection = context.collection(name);
  const statements = documents.map((document) => () => insertOne(context, collection, document));
  return batchReply(await runBatch(context, statements, isOrdered), false);
};

const updateHandler: CommandHandler = async (context, command) => {
  const { update: name, updates, ordered: isOrdered } = updateCommand.parse(command);
  const collection = context.collection(name);
  const statements = updates.map(({ q: filter, u, multi: isMulti, upsert: isUpsert }) => {
    const statement = { filter, update: u, isMulti, isUpsert };
    return () => updateDocuments(context, collection, statement);
  });
  return batchReply(await runBatch(context, statements, isOrdered), true);
};

const deleteHandler: CommandHandler = async (context, command) => {
  const { delete: name, deletes, ordered: isOrdered } = deleteCommand.parse(command);
  const collection = context.collection(name);
  const statements = deletes.map(
    ({ q, limit }) =>
      () =>
        deleteDocuments(context, collection, q, limit === 0),
  );
  return batchReply(await runBatch(context, statements, isOrdered), false);
};

const findAndModify: CommandHandler = async (context, command) => {
  const { query: filter, sort, update: changes, fields, ...options } = findAndModifyCommand.parse(command);
  const { transaction, now } = context;
  const collection = context.collection(options.findAndModify);
  const projected = (value: Doc) => (Object.keys(fields).length === 0 ? value : project(value, fields, now));
  return context.attempt(() => {
    const found = collection.find(filter, { transaction }, now);
    const [first] = sorted(
      found.map(([, value]) => value),
      sort,
    );
    const one = found.find(([, value]) => value === first);
    if (one === undefined) {
      if (!options.upsert || changes === undefined)
        return { value: null, lastErrorObject: { n: 0, updatedExisting: false } };
      const inserted = upserted(filter, changes, now);
      collection.insert(inserted, transaction);
      const lastErrorObject = { n: 1, updatedExisting: false, upserted: inserted._id };
      return { value: options.new ? projected(inserted) : null, lastErrorObject };
    }
    const [document, before] = one;
    if (options.remove || changes === undefined) {
      collection.write(document, undefined, transaction);
      return { value: projected(before), lastErrorObject: { n: 1 } };
    }
    const after = applyUpdate(before, changes, { filter, now });
    if (!isSame(after, before)) collection.write(document, after, transaction);
    return { value: projected(options.new ? after : before), lastErrorObject: { n: 1, updatedExisting: true } };
  });
};

/** The command `bulkWrite` of MongoDB 8.0. */
const bulkWrite: CommandHandler = async (context, command) => {
  const { nsInfo, ops, ordered: isOrdered, errorsOnly } = bulkWriteCommand.parse(command);
  const collectionAt = (index: number) => {
    const { ns = "" } = nsInfo[index] ?? {};
    return context.collection(ns.slice(ns.indexOf(".") + 1));
  };
  const totals = { nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
  const statements = ops.map((op) => () => {
    if ("document" in op) return insertOne(context, collectionAt(op.insert), op.document);
    if (!("updateMods" in op)) return deleteDocuments(context, collectionAt(op.delete), op.filter, op.multi);
    const how = { filter: op.filter, update: op.updateMods, isMulti: op.multi, isUpsert: op.upsert };
    return updateDocuments(context, collectionAt(op.update), how);
  });
  const { written, errors } = await runBatch(context, statements, isOrdered);
  for (const [index, { n, nModified = 0, upserted: id }] of written) {
    const op = ops[index] ?? {};
    if ("document" in op) totals.nInserted += n;
    else if ("delete" in op) totals.nDeleted += n;
    else if (id === undefined) totals.nMatched += n;
    else totals.nUpserted += n;
    totals.nModified += nModified;
  }
  const failures = Array.from(errors, ([idx, error]) => ({ ok: 0, idx, n: 0, ...errorFields(error) }));
  const successes = Array.from(written, ([idx, { n, nModified, upserted: _id }]) => ({
    ok: 1,
    idx,
    n,
    ...(nModified !== undefined && { nModified }),
    ...(_id !== undefined && { upserted: { _id } }),
  }));
  const firstBatch = [...failures, ...(errorsOnly ? [] : successes)].toSorted((one, other) => one.idx - other.idx);
  return { cursor: { id: 0n, ns: "admin.$cmd.bulkWrite", firstBatch }, nErrors: errors.size, ...totals };
};

const indexesCommand = commandSchema({
  createIndexes: z.string(),
  indexes: z.array(doc),
  // No effect: there is one member.
  commitQuorum: z.unknown().optional(),
});
const collModCommand = commandSchema({
  collMod: z.string(),
  index: z.strictObject({ name: z.string(), expireAfterSeconds: z.number() }),
});

const createIndexes: CommandHandler = (context, command) => {
  const { createIndexes: name, indexes } = indexesCommand.parse(command);
  for (const index of indexes) context.collection(name).addIndex(index);
  return {};
};

const collMod: CommandHandler = (context, command) => {
  const { collMod: name, index } = collModCommand.parse(command);
  context.collection(name).changeLife(index.name, index.expireAfterSeconds);
  return {};
};

const dropIndexes: CommandHandler = (context, { dropIndexes: name, index }) => {
  context.collection(String(name)).dropIndex(String(index));
  return {};
};

const create: CommandHandler = (context, { create: name }) => {
  context.collection(String(name));
  return {};
};

const drop: CommandHandler = ({ collections }, { drop: name }) => {
  collections.delete(String(name));
  return {};
};

const dropDatabase: CommandHandler = ({ collections }) => {
  collections.clear();
  return {};
};

/** The commands that change documents, and may be part of a transaction. */
export const documentCommands: Readonly<Record<string, CommandHandler>> = {
  insert,
  update: updateHandler,
  delete: deleteHandler,
  findAndModify,
  bulkWrite,
};

/** The commands that change collections and indexes. */
export const collectionCommands: Readonly<Record<string, CommandHandler>> = {
  createIndexes,
  collMod,
  dropIndexes,
  create,
  drop,
  dropDatabase,
};
