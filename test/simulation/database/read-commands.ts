import { z } from "zod";
import { type Doc, isTrue } from "./bson-value.ts";
import type { CommandContext, CommandHandler } from "./command-context.ts";
import { commandSchema, doc, readConcern } from "./command-schema.ts";
import { ServerError } from "./server-error.ts";
import { distinctValues, project, runStages, sorted } from "./stages.ts";

const count = z.coerce.number();

const findCommand = commandSchema({
  find: z.string(),
  filter: doc.default({}),
  sort: doc.default({}),
  projection: doc.default({}),
  skip: count.default(0),
  limit: count.default(0),
  batchSize: count.optional(),
  singleBatch: z.boolean().default(false),
  readConcern,
});

const aggregateCommand = commandSchema({
  aggregate: z.union([z.string(), z.literal(1)]),
  pipeline: z.array(doc),
  cursor: z.object({ batchSize: count.optional() }).default({}),
  readConcern,
});

const distinctCommand = commandSchema({ distinct: z.string(), key: z.string(), query: doc.default({}), readConcern });
const getMoreCommand = commandSchema({ getMore: z.bigint(), collection: z.string(), batchSize: count.optional() });
const killCursorsCommand = commandSchema({ killCursors: z.string(), cursors: z.array(z.bigint()) });

// MongoDB's default.
const firstBatchSize = 101;

// A read pauses only this often, to be fast.
const stepLength = 4;

/** Reads a snapshot, or, with another read concern outside of transactions, each document at its own moment. */
async function read(
  context: CommandContext,
  name: string,
  filter: Doc,
  level: string | undefined,
): Promise<readonly Doc[]> {
  const { transaction, now } = context;
  const collection = context.collections.get(name);
  if (collection === undefined) return [];
  const viewNow = () => ({ transaction, at: context.readAt(level) });
  if (transaction !== undefined || level === "snapshot")
    return collection.find(filter, viewNow(), now).map(([, value]) => value);
  const found: Doc[] = [];
  let count = 0;
  for (const value of collection.scan(filter, viewNow, now)) {
    if (value !== undefined) found.push(value);
    count += 1;
    const pause = count % stepLength === 0 ? context.pause() : undefined;
    if (pause !== undefined) await pause;
  }
  return found;
}

/** Returns the first documents, and keeps the others for `getMore`. They are those of the time of the first batch. */
function cursorOf(context: CommandContext, name: string, documents: readonly Doc[], size: number | undefined): Doc {
  const { database, cursors, newCursor } = context;
  const batchSize = size ?? firstBatchSize;
  const rest = documents.slice(batchSize);
  const id = rest.length > 0 ? newCursor() : 0n;
  if (rest.length > 0) cursors.set(id, rest);
  return { cursor: { id, ns: `${database}.${name}`, firstBatch: documents.slice(0, batchSize) } };
}

const find: CommandHandler = async (context, command) => {
  const { find: name, filter, sort, projection, skip, limit, ...options } = findCommand.parse(command);
  const found = sorted(await read(context, name, filter, options.readConcern.level), sort);
  const page = found.slice(skip, limit === 0 ? undefined : skip + limit);
  const projected =
    Object.keys(projection).length === 0 ? page : page.map((one) => project(one, projection, context.now));
  return cursorOf(context, name, projected, options.singleBatch ? projected.length : options.batchSize);
};

const aggregate: CommandHandler = async (context, command) => {
  const { aggregate: name, pipeline, cursor, readConcern: concern } = aggregateCommand.parse(command);
  const [first = {}, ...rest] = pipeline;
  // The operations in progress.
  if ("$currentOp" in first) return cursorOf(context, "$cmd.aggregate", [], undefined);
  const filter = doc.safeParse(first.$match).data;
  const documents = await read(context, String(name), filter ?? {}, concern.level);
  const results = runStages(documents, filter === undefined ? pipeline : rest, context.now);
  return cursorOf(context, String(name), results, cursor.batchSize);
};

const distinct: CommandHandler = async (context, command) => {
  const { distinct: name, key, query, readConcern: concern } = distinctCommand.parse(command);
  return { values: distinctValues(await read(context, name, query, concern.level), key) };
};

const getMore: CommandHandler = ({ cursors, database }, command) => {
  const { getMore: id, collection, batchSize } = getMoreCommand.parse(command);
  const documents = cursors.get(id);
  if (documents === undefined) throw new ServerError("CursorNotFound", `cursor id ${id} not found`);
  const nextBatch = documents.slice(0, batchSize || undefined);
  const rest = documents.slice(nextBatch.length);
  if (rest.length > 0) cursors.set(id, rest);
  else cursors.delete(id);
  return { cursor: { id: rest.length > 0 ? id : 0n, ns: `${database}.${collection}`, nextBatch } };
};

const killCursors: CommandHandler = ({ cursors }, command) => {
  const { cursors: ids } = killCursorsCommand.parse(command);
  const cursorsKilled = ids.filter((id) => cursors.delete(id));
  return { cursorsKilled, cursorsNotFound: [], cursorsAlive: [], cursorsUnknown: [] };
};

const listCollections: CommandHandler = (context, { filter }) => {
  const wanted = doc.safeParse(filter).data?.name;
  const names = Array.from(context.collections.keys()).filter((name) => !isTrue(wanted) || name === wanted);
  const found = names.map((name) => ({ name, type: "collection", options: {}, info: { readOnly: false } }));
  return cursorOf(context, "$cmd.listCollections", found, undefined);
};

const listIndexes: CommandHandler = (context, command) => {
  const name = String(command.listIndexes);
  const collection = context.collections.get(name);
  if (collection === undefined) throw new ServerError("NamespaceNotFound", `ns does not exist: ${name}`);
  return cursorOf(context, name, collection.indexDefinitions, undefined);
};

/** The commands that change nothing. */
export const readCommands: Readonly<Record<string, CommandHandler>> = {
  find,
  aggregate,
  distinct,
  getMore,
  killCursors,
  listCollections,
  listIndexes,
};
