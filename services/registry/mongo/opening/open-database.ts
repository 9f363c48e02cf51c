import type { ClientSession, MongoClient } from "mongodb";
import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import type { Restores } from "../../deliveries/claim-deliveries.ts";
import { defaultRetention, type Retention } from "../../values/retention.ts";
import { type Collections, collectionsOf } from "../documents/collections.ts";
import { DatabaseClock } from "../driver/database-clock.ts";
import type { ReadSnapshot } from "../driver/read-snapshot.ts";
import {
  currentVersion,
  type DocumentVersion,
  forgetUnknownMigrations,
  skipMigrationsOfNewDatabase,
} from "../migrations/run-migrations.ts";
import { type ConnectMongoOptions, connectMongo } from "./connect-mongo.ts";
import { ensureIndexes } from "./ensure-indexes.ts";
import { type PageReads, pageReaders } from "./page-reads.ts";
import { ReplicaHeartbeat } from "./replica-heartbeat.ts";
import { readTransactionLifetime } from "./transaction-lifetime.ts";

/** Database connections that serve only one kind of work. */
interface ConnectionPool {
  readonly client: MongoClient;
  readonly collections: Collections;
}

/**
 * The registry's database. Each kind of work has its own connection pool, so that it never waits for connections that
 * another kind occupies.
 */
export interface Database {
  /** For the certificate list, the delivery log, admissions, look-ups and diagnostics. */
  readonly reads: ConnectionPool;
  /** For changes to certificates and stores, workflow triggers, automation events, the storefront and migrations. */
  readonly changes: ConnectionPool & {
    /** Records a transaction's session, so that other replicas can end the session if this replica is killed. */
    readonly onSession: (session: ClientSession) => Promise<void>;
    /** Reads a page of new events for triggers. */
    readonly readSnapshot: ReadSnapshot;
  };
  /** For the outbox relay with its lease, claims and outcomes of deliveries, quarantined messages, and heartbeats. */
  readonly deliveries: ConnectionPool;
  /** The database's time as the heartbeats report it. */
  readonly clock: DatabaseClock;
  /** How long the server keeps a transaction whose client has vanished. */
  readonly transactionLifetimeSeconds: number;
  /** Reads a page of the list. */
  readonly readPage: ReadSnapshot;
  /** See {@link readRestores}. */
  readonly restores: Awaited<ReturnType<typeof readRestores>>;
  close(): Promise<void>;
}

/** Maximum number of connections to each server, by pool. */
export type PoolSizes = Readonly<Record<"reads" | "changes" | "deliveries", number>>;

interface OpenDatabaseOptions extends Pick<ConnectMongoOptions, "socketTimeoutMs"> {
  readonly logger: Logger;
  /** Default {@link defaultRetention}. */
  readonly retention?: Retention;
  /** How pages are read. Default `auto`. */
  readonly pageReads?: PageReads;
  /** Whether this replica publishes automation events. Default: false. */
  readonly publishesAutomationEvents?: boolean;
  /** What this replica writes and knows. Default {@link currentVersion}. */
  readonly version?: DocumentVersion;
  /** Monotonic clock of the warnings about a slow start. Default {@link steadyClock}. */
  readonly clock?: Pick<Clock, "sleep">;
}

// How often a start that takes long says what it waits for.
const slowStepMs = 10_000;

/**
 * Connects to the database, creates its missing indexes and starts the heartbeat of this replica. Logs a warning with
 * the step in progress every ten seconds, because a server that accepts connections may still not answer.
 *
 * @throws the errors of {@link connectMongo} and {@link ensureIndexes}
 */
export async function openDatabase(
  uri: string,
  sizes: PoolSizes,
  { logger, retention, pageReads = "auto", publishesAutomationEvents = false, ...options }: OpenDatabaseOptions,
): Promise<Database> {
  const { clock: warningClock = steadyClock, version = currentVersion, ...connecting } = options;
  await using opened = new AsyncDisposableStack();
  let step = "indexes";
  const warn = () => {
    logger.warn({ step }, "still opening the database");
    return slowStepMs;
  };
  const watching = new Loop({ clock: warningClock, step: warn, firstPauseMs: slowStepMs });
  await using _watching = { [Symbol.asyncDispose]: () => watching.stop() };
  watching.start();
  const connect = async (pool: keyof PoolSizes): Promise<ConnectionPool> => {
    step = `connections for ${pool}`;
    const settings = { appName: `certificate-registry ${pool}`, connectionsMax: sizes[pool] };
    const client = await connectMongo(uri, { ...connecting, ...settings });
    opened.defer(() => client.close());
    return { client, collections: collectionsOf(client.db()) };
  };
  // Sequential: while the server is unavailable, only one client tries to connect.
  await createIndexes(uri, logger, retention);
  const reads = await connect("reads");
  const changes = await connect("changes");
  const deliveries = await connect("deliveries");
  step = "transaction lifetime";
  const transactionLifetimeSeconds = await readTransactionLifetime(changes.client, logger);
  step = "reads of pages";
  const readerOf = await pageReaders(reads.client, pageReads, logger);
  step = "state of the migrations";
  await skipMigrationsOfNewDatabase(changes.collections, version.migrations);
  step = "heartbeat";
  const clock = new DatabaseClock(steadyClock);
  const heartbeat = new ReplicaHeartbeat({
    client: deliveries.client,
    replicas: deliveries.collections.replicas,
    replica: crypto.randomUUID(),
    publishesAutomationEvents,
    documentVersion: version.documentVersion,
    clock: steadyClock,
    databaseClock: clock,
    logger,
  });
  await heartbeat.start();
  opened.defer(() => heartbeat.stop());
  step = "state of unknown migrations";
  await forgetUnknownMigrations(changes.collections, version.migrations);
  // After the first heartbeat, so that a restore that is being finished meanwhile notices this replica.
  step = "restores";
  const restores = await readRestores(deliveries.collections);
  const onSession = (session: ClientSession) => heartbeat.record(session);
  const clients = opened.move();
  return {
    reads,
    changes: { ...changes, onSession, readSnapshot: readerOf(changes.client) },
    deliveries,
    clock,
    transactionLifetimeSeconds,
    readPage: readerOf(reads.client),
    restores,
    close: () => clients.disposeAsync(),
  };
}

async function createIndexes(uri: string, logger: Logger, retention: Retention = defaultRetention): Promise<void> {
  const settings = { appName: "certificate-registry indexes", connectionsMax: 2, socketTimeoutMs: 0 };
  const client = await connectMongo(uri, settings);
  try {
    await ensureIndexes(client, { logger, clock: steadyClock, retention });
  } finally {
    await client.close();
  }
}

/**
 * Reads the restores, and the epoch of new events: the empty string before the first restore. Reading them once at
 * startup is enough, because no registry may run during a restore.
 */
async function readRestores({ restores }: Pick<Collections, "restores">): Promise<Restores & { epoch: string }> {
  const found = await restores.find({}).toArray();
  const latestFirst = found.toSorted((one, other) => other.number - one.number);
  const interrupting = latestFirst.findIndex(({ pending }) => pending === "interrupt");
  const epochs = latestFirst.map(({ _id }) => _id);
  const sendable = interrupting === -1 ? [...epochs, ""] : epochs.slice(0, interrupting + 1);
  const unsentBefore = latestFirst[interrupting]?.at;
  return { epoch: epochs[0] ?? "", sendableEpochs: new Set(sendable), unsentBefore };
}
