import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { LeaseKeeper } from "../../leases/lease-keeper.ts";
import type { LeasedTask } from "../../leases/leased-queue.ts";
import type { Collections } from "../documents/collections.ts";
import type { MigrationDocument } from "../documents/documents.ts";
import { documentVersion, type Migration } from "./migration.ts";

/**
 * All migrations, in the order in which they run: none before the second release. Remove one only when no installation
 * can still need it.
 */
const migrations: readonly Migration[] = [];

interface RunMigrationsDeps {
  readonly collections: Collections;
  /** Lets one replica at a time run migrations. */
  readonly lease: LeasedTask;
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default {@link migrations}. */
  readonly list?: readonly Migration[];
}

const retryMs = 5_000;
// Batches take at most this share of the time, so that live traffic keeps the rest.
const workShare = 0.5;
const pauseMinMs = 10;

/** The version of the documents that a replica writes, and the migrations that it knows. */
export interface DocumentVersion {
  readonly documentVersion: number;
  readonly migrations: readonly Migration[];
}

/** What this version of the registry writes and knows. */
export const currentVersion: DocumentVersion = { documentVersion, migrations };

/**
 * Deletes the state of the migrations that this version does not know: they run again once a replica that knows them
 * starts. Call it after the first heartbeat, with which no pass of a later version is the last one, and before the
 * registry serves requests, which write the old form: a replica that is killed has then deleted the state.
 */
export async function forgetUnknownMigrations(
  { migrations: states }: Pick<Collections, "migrations">,
  list: readonly Migration[],
): Promise<void> {
  await states.deleteMany({ _id: { $nin: list.map(({ id }) => id) } });
}

/**
 * If the database has no store, and no replica of an earlier version that could create one, marks the migrations that
 * have not started as finished. Call it before the registry serves requests.
 */
export async function skipMigrationsOfNewDatabase(
  { stores, replicas, migrations: states }: Pick<Collections, "stores" | "replicas" | "migrations">,
  list = migrations,
): Promise<void> {
  if ((await stores.findOne({}, { projection: { _id: 1 } })) !== null) return;
  if (!(await hasNoOlderReplica(replicas, documentVersion))) return;
  const finished = { position: null, isLastPass: true, changedCount: 0, finishedAt: new Date() };
  for (const { id } of list) await states.updateOne({ _id: id }, { $setOnInsert: finished }, { upsert: true });
}

/**
 * Starts to run the migrations that are not finished, one after the other, in one replica at a time. Each batch stores
 * its progress, so that another replica continues after a crash.
 *
 * While replicas of an earlier version run, they may still write the old form. A migration is therefore finished only
 * after a pass during which no such replica had a heartbeat. One that is paused for the whole of that pass can still
 * write the old form later, so this version reads both forms, and so must the next one, which gives the collection a
 * validator that refuses the old form and then repeats the pass.
 *
 * After a rollback, replicas of the earlier version write the old form again: see {@link forgetUnknownMigrations}. A
 * pass of a later version that is about to end does not find its state any more, and begins again.
 *
 * @returns a function that waits for the batch in progress, ends the work and releases the lease
 */
export function runMigrations(deps: RunMigrationsDeps): { stop(): Promise<void> } {
  const { clock, logger, list = migrations } = deps;
  const lease = new LeaseKeeper(deps.lease, clock);
  const release = () =>
    lease.release().catch((error: unknown) => logger.warn({ err: error }, "cannot release the migrations' lease"));
  const unfinished = [...list];
  const step = async (stopping: AbortSignal) => {
    const [migration] = unfinished;
    if (migration === undefined) {
      await release();
      return Number.POSITIVE_INFINITY;
    }
    if (!(await isFinished(deps, migration))) {
      const isDone = (await lease.keep()) && (await runPass(deps, migration, lease, stopping));
      if (!isDone) return retryMs;
    }
    unfinished.shift();
    return 0;
  };
  const onFailure = (error: unknown) =>
    logger.warn({ err: error, migration: unfinished[0]?.id }, "migration failed; retrying");
  const loop = new Loop({ step, clock, onFailure, failurePauseMs: { first: retryMs, max: retryMs } });
  loop.start();
  return {
    stop: async () => {
      await loop.stop();
      await release();
    },
  };
}

async function isFinished({ collections }: RunMigrationsDeps, { id }: Migration): Promise<boolean> {
  return (await collections.migrations.findOne({ _id: id }))?.finishedAt != null;
}

/** Runs a pass over the documents, or resumes an interrupted one. @returns whether the migration is finished */
async function runPass(
  deps: RunMigrationsDeps,
  migration: Migration,
  lease: LeaseKeeper,
  stopping: AbortSignal,
): Promise<boolean> {
  const { collections, clock, logger } = deps;
  let state = await readState(deps, migration);
  if (state.position === null) {
    const isLastPass = await hasNoOlderReplica(collections.replicas, migration.version);
    state = { ...state, isLastPass };
    logger.info({ migration: migration.id, isLastPass }, "migration pass started");
  }
  while (!stopping.aborted && (await lease.keep())) {
    const startedAt = clock.now();
    const { changedCount, next } = await migration.convert(collections, state.position);
    // Again: a replica that was paused, and had lost its heartbeat, may have resumed and written behind this pass.
    const isLastPass = state.isLastPass && (await hasNoOlderReplica(collections.replicas, migration.version));
    const finishedAt = next === null && isLastPass ? new Date() : null;
    const total = state.changedCount + changedCount;
    const after = { ...state, isLastPass, position: next, changedCount: total, finishedAt };
    if (!(await storeProgress(deps, migration, state, after))) return false;
    state = after;
    if (next === null) {
      logger.info({ migration: migration.id, changedCount: total, isFinished: isLastPass }, "migration pass ended");
      return isLastPass;
    }
    await clock.sleep(Math.max(pauseMinMs, (clock.now() - startedAt) * (1 / workShare - 1)), stopping);
  }
  return false;
}

type Progress = Omit<MigrationDocument, "_id">;

async function readState({ collections }: RunMigrationsDeps, { id }: Migration): Promise<Progress> {
  const start: Progress = { position: null, isLastPass: false, changedCount: 0, finishedAt: null };
  await collections.migrations.updateOne({ _id: id }, { $setOnInsert: start }, { upsert: true });
  const found = await collections.migrations.findOne({ _id: id });
  return found ?? start;
}

/**
 * Stores the progress after a batch.
 *
 * @returns false if another replica has acquired the lease in the meantime and stored its own progress
 */
async function storeProgress(
  { collections }: RunMigrationsDeps,
  { id }: Migration,
  before: Progress,
  { position, isLastPass, changedCount, finishedAt }: Progress,
): Promise<boolean> {
  const filter = { _id: id, position: before.position, changedCount: before.changedCount };
  const $set = { position, isLastPass, changedCount, finishedAt };
  return (await collections.migrations.updateOne(filter, { $set })).matchedCount > 0;
}

async function hasNoOlderReplica(replicas: Collections["replicas"], version: number): Promise<boolean> {
  return (await replicas.findOne({ documentVersion: { $lt: version } })) === null;
}
