import {
  type Collection,
  type Db,
  type Document,
  type IndexDescription,
  type MongoClient,
  MongoServerError,
} from "mongodb";
import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import type { Clock } from "#shared/time/clock.ts";
import { defaultRetention, type Retention } from "../../values/retention.ts";
import { type Collections, collectionsOf } from "../documents/collections.ts";
import { isTransient, isUnauthorized } from "../driver/transient-error.ts";
import { indexesFor } from "./indexes.ts";
import { type IndexPlan, planIndexes } from "./plan-indexes.ts";

interface EnsureIndexesDeps {
  readonly logger: Logger;
  /** Monotonic clock. */
  readonly clock: Clock;
  /** Default {@link defaultRetention}. */
  readonly retention?: Retention;
}

const namespaceNotFoundCode = 26;
// IndexOptionsConflict, IndexKeySpecsConflict.
const conflictCodes: readonly unknown[] = [85, 86];
const indexBuildAbortedCode = 276;
// BackgroundOperationInProgressForNamespace: `collMod` fails while any index of the collection is being built.
const buildInProgressCode = 12_587;
const buildWaitMaxMs = 30 * 60_000;
const pauseMs = 1_000;
const progressIntervalMs = 10_000;

/**
 * Creates the missing indexes, waits for those that another replica is building, and updates the lifetimes of the TTL
 * indexes. A build on a large collection takes minutes or hours, so the client must have neither a socket timeout nor a
 * write-concern timeout. MongoDB continues a build whose client has disconnected; the next call joins it.
 *
 * @throws Error, with a remedy, when an existing index differs from the one that this version needs, the database user
 * is not permitted to change a TTL index, or an index build prevents this change for half an hour
 */
export async function ensureIndexes(client: MongoClient, deps: EnsureIndexesDeps): Promise<void> {
  const collections = collectionsOf(client.db());
  const indexes = indexesFor(deps.retention ?? defaultRetention);
  for (const name of Object.keys(indexes) as (keyof Collections)[])
    if (indexes[name].length > 0)
      await retryUntil(() => ensureIndexesOf(client, collections[name], { name, wanted: indexes[name] }, deps), {
        isFinal: (error) => !hasCode(error, indexBuildAbortedCode) && !isTransient(error),
        onRetry: (err) => deps.logger.warn({ err }, "cannot create indexes; retrying"),
        pauseMs: { first: pauseMs, max: pauseMs },
        clock: deps.clock,
      });
}

async function ensureIndexesOf(
  client: MongoClient,
  collection: Pick<Collection, "collectionName" | "listIndexes" | "createIndexes">,
  { name, wanted }: { readonly name: keyof Collections; readonly wanted: readonly IndexDescription[] },
  { logger, clock }: EnsureIndexesDeps,
): Promise<void> {
  const { missing, lives } = planIndexes(await existingIndexes(collection), wanted);
  for (const index of lives) {
    await changeLife(client.db(), { collMod: collection.collectionName, index }, { logger, clock });
    logger.info({ collection: name, index: index.name, seconds: index.expireAfterSeconds }, "changed a TTL index");
  }
  const startedAt = clock.now();
  const secondsPassed = () => Math.round((clock.now() - startedAt) / 1_000);
  if (missing.length > 0) logger.info({ collection: name, indexes: missing }, "creating indexes");
  const logProgress = async () => {
    const seen = await indexBuilds(client);
    logger.info({ collection: name, seconds: secondsPassed(), ...seen }, "still creating indexes");
    return progressIntervalMs;
  };
  const watching = new Loop({ clock, step: logProgress, firstPauseMs: progressIntervalMs });
  watching.start();
  try {
    // Also called when no index is missing: `listIndexes` includes indexes that another replica is still building.
    await collection.createIndexes([...wanted], { commitQuorum: "majority" });
  } catch (error) {
    throw conflictOf(error, name);
  } finally {
    await watching.stop();
  }
  if (missing.length > 0) logger.info({ collection: name, seconds: secondsPassed() }, "indexes are ready");
}

/** Changes the lifetime of a TTL index, as soon as no index of the collection is being built. */
async function changeLife(
  database: Db,
  command: { readonly collMod: string; readonly index: IndexPlan["lives"][number] },
  { logger, clock }: Pick<EnsureIndexesDeps, "logger" | "clock">,
): Promise<void> {
  const { collMod: collection, index } = command;
  const waitUntil = clock.now() + buildWaitMaxMs;
  try {
    await retryUntil(() => database.command(command), {
      isFinal: (error) => !hasCode(error, buildInProgressCode) || clock.now() >= waitUntil,
      onRetry: () =>
        logger.info({ collection, index: index.name }, "waiting for an index build before changing a TTL index"),
      pauseMs: { first: progressIntervalMs, max: progressIntervalMs },
      clock,
    });
  } catch (error) {
    if (isUnauthorized(error))
      throw new Error(
        `The database user is not permitted to change how long documents are kept: grant it the dbAdmin role on this database, or run db.runCommand(${JSON.stringify(command)})`,
        { cause: error },
      );
    if (!hasCode(error, buildInProgressCode)) throw error;
    throw new Error(
      `An index build has kept the TTL index "${index.name}" of the collection "${collection}" from being changed for ${buildWaitMaxMs / 60_000} minutes: wait until the build has ended (db.currentOp() shows it), and start the registry again`,
      { cause: error },
    );
  }
}

/** Returns the indexes of a collection; none if it does not exist. */
export async function existingIndexes(collection: Pick<Collection, "listIndexes">): Promise<Document[]> {
  try {
    return await collection.listIndexes().toArray();
  } catch (error) {
    if (hasCode(error, namespaceNotFoundCode)) return [];
    throw error;
  }
}

/**
 * Returns the server's index builds with their progress; without them if the user lacks the `inprog` privilege, and
 * with the error if they cannot be read for another reason.
 */
async function indexBuilds(client: MongoClient): Promise<{ readonly builds?: Document[]; readonly err?: unknown }> {
  try {
    const builds = await client
      .db("admin")
      .aggregate(
        [
          { $currentOp: { allUsers: true } },
          { $match: { msg: /^Index Build/ } },
          { $project: { _id: 0, ns: 1, msg: 1, progress: 1 } },
        ],
        // The server accepts no other read concern for this stage.
        { readConcern: { level: "local" } },
      )
      .toArray();
    return { builds };
  } catch (err) {
    return isUnauthorized(err) ? {} : { err };
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}

function conflictOf(error: unknown, name: keyof Collections): unknown {
  if (!(error instanceof MongoServerError && conflictCodes.includes(error.code))) return error;
  return new Error(
    `An index of the collection "${name}" does not match the definition that this version needs: drop it with db.${name}.dropIndex("<index name>"), and start the registry again (${error.message})`,
    { cause: error },
  );
}
