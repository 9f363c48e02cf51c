import { type Binary, type ClientSession, type Collection, type MongoClient, MongoServerError, UUID } from "mongodb";
import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ReplicaDocument } from "../documents/documents.ts";
import type { DatabaseClock } from "../driver/database-clock.ts";
import { databaseCall } from "../driver/database-error.ts";
import { SessionRecord } from "../driver/session-record.ts";
import { limited } from "../driver/time-limits.ts";
import { isUnauthorized } from "../driver/transient-error.ts";
import { ReplicaWatch } from "./replica-watch.ts";

interface ReplicaHeartbeatDeps {
  readonly client: MongoClient;
  readonly replicas: Collection<ReplicaDocument>;
  /** Random; identifies this replica until it stops. */
  readonly replica: string;
  /** Whether this replica publishes automation events. */
  readonly publishesAutomationEvents: boolean;
  /** The version of the documents that this replica writes. */
  readonly documentVersion: number;
  readonly clock: Clock;
  /** Follows the database's time with each heartbeat. */
  readonly databaseClock: DatabaseClock;
  readonly logger: Logger;
}

/** Pause between two heartbeats, in milliseconds. */
export const heartbeatIntervalMs = 2_000;
// CommandNotFound, CommandNotSupported.
const unsupportedCodes: readonly unknown[] = [59, 115];

/**
 * Ends the transactions of killed replicas. MongoDB keeps the transaction of a client that has vanished, with its locks
 * on stores, for `transactionLifetimeLimitSeconds`. So each replica stores a heartbeat with the ids of its sessions,
 * and the other replicas end these sessions (`killSessions`) after six to eight seconds without a new heartbeat.
 *
 * A replica that is only paused or cut off for that long loses its sessions too. This is safe: the server rolls back
 * their transactions, which the replica retries in new sessions, and a commit that the server has accepted stays.
 *
 * MongoDB lets every user end its own sessions, and silently ignores those of other users: after the database user has
 * been replaced, the transactions of replicas that were killed with the old user last until their limit. A server
 * without `killSessions` (MongoDB Atlas M0 and Flex) still gets heartbeats, because migrations and restores rely on
 * them.
 */
export class ReplicaHeartbeat {
  readonly #deps: ReplicaHeartbeatDeps;
  readonly #sessions: SessionRecord;
  readonly #watch = new ReplicaWatch();
  readonly #loop: Loop;
  #isStarted = false;
  #beat = 0;
  #endsSessions = true;

  constructor(deps: ReplicaHeartbeatDeps) {
    this.#deps = deps;
    this.#sessions = new SessionRecord({ store: (ids) => this.#store(ids), clock: deps.clock });
    this.#loop = new Loop({ clock: deps.clock, step: () => this.#step() });
  }

  /**
   * Stores the first heartbeat, so that the database's time is known, and starts the following ones. Logs a warning if
   * the server does not let this replica end sessions.
   *
   * @throws MongoError if the first heartbeat fails
   */
  async start(): Promise<void> {
    await this.#sessions.store();
    // A failure other than a refusal does not matter yet: a refusal of a later command is noticed, too.
    const refusal = await sessionRefusal(this.#deps.client).catch(() => undefined);
    if (refusal !== undefined) this.#endNoSessions(refusal);
    this.#isStarted = true;
    this.#loop.start();
  }

  /** Records a session before its first transaction, so that other replicas can end it. */
  async record(session: Pick<ClientSession, "id">): Promise<void> {
    if (this.#isStarted) await this.#sessions.add(session);
  }

  /** Stops and removes the heartbeat. All transactions must have ended. */
  async stop(): Promise<void> {
    if (!this.#isStarted) return;
    await this.#loop.stop();
    const { replicas, replica, logger } = this.#deps;
    await replicas
      .deleteOne({ _id: replica }, limited)
      .catch((error: unknown) =>
        logger.warn({ err: error }, "cannot remove this replica's heartbeat; another replica will remove it"),
      );
  }

  /** Stores a heartbeat, and ends the sessions of replicas whose heartbeat has stopped. */
  async beat(): Promise<void> {
    // First, because a replica that cannot store its own heartbeat must not end the sessions of others.
    await this.#sessions.store();
    const { replicas, replica } = this.#deps;
    const others = await replicas.find({ _id: { $ne: replica } }, limited).toArray();
    const stopped = new Set(this.#watch.observe(new Map(others.map(({ _id, beat }) => [_id, beat]))));
    for (const other of others) if (stopped.has(other._id)) await this.#endSessions(other);
  }

  async #step(): Promise<number> {
    const { logger } = this.#deps;
    await this.beat().catch((error: unknown) => logger.warn({ err: error }, "heartbeat failed; retrying"));
    return heartbeatIntervalMs;
  }

  async #store(ids: readonly Binary[]): Promise<void> {
    const { replicas, replica, publishesAutomationEvents, documentVersion, databaseClock } = this.#deps;
    this.#beat++;
    const heartbeat = {
      _id: replica,
      beat: this.#beat,
      documentVersion,
      publishesAutomationEvents,
      sessions: [...ids],
    };
    const stored = [{ $replaceWith: { $mergeObjects: [{ $literal: heartbeat }, { at: "$$NOW" }] } }];
    const how = { upsert: true, returnDocument: "after", projection: { at: 1 }, ...limited } as const;
    await databaseClock.observe(async () => {
      const at = (await replicas.findOneAndUpdate({ _id: replica }, stored, how))?.at;
      if (at === undefined) throw new Error("the database returned no time for the heartbeat");
      return { at };
    });
  }

  async #endSessions({ _id, beat, sessions }: ReplicaDocument): Promise<void> {
    const { client, replicas, logger } = this.#deps;
    if (this.#endsSessions) {
      const refusal = await sessionRefusal(client, sessions);
      if (refusal !== undefined) this.#endNoSessions(refusal);
    }
    // Matches `beat`, so that the heartbeat of a replica that has resumed is kept.
    const { deletedCount } = await replicas.deleteOne({ _id, beat }, limited);
    if (deletedCount === 0) return;
    const fields = { replica: _id, sessions: sessions.length };
    if (this.#endsSessions) logger.warn(fields, "ended the sessions of a replica that stopped");
    else logger.warn(fields, "removed the heartbeat of a replica that stopped; its sessions end by themselves");
  }

  #endNoSessions(reason: string): void {
    this.#endsSessions = false;
    this.#deps.logger.warn(
      { reason },
      "the database does not end sessions for this replica: if a replica is killed, the stores that it was changing stay locked for transactionLifetimeLimitSeconds; use a server that supports killSessions, such as a dedicated cluster of MongoDB Atlas",
    );
  }
}

/**
 * Returns whether a registry publishes automation events: one that runs, or was killed a few seconds ago. A replica
 * cannot know this from its own configuration, which can differ from that of others during an upgrade.
 *
 * @throws ServiceError `unavailable` if the database is unavailable
 */
export function isAutomationPublished(replicas: Collection<ReplicaDocument>): Promise<boolean> {
  return databaseCall(async () => (await replicas.findOne({ publishesAutomationEvents: true }, limited)) !== null);
}

/**
 * Ends sessions.
 *
 * @param ids default: one random id, so that no session ends and only the server's answer counts
 * @returns why the server refuses the command; undefined if it has run it
 * @throws MongoError if the command fails for another reason
 */
export async function sessionRefusal(
  client: MongoClient,
  ids: readonly Binary[] = [new UUID()],
): Promise<string | undefined> {
  const command = killSessionsOf(ids);
  if (command === undefined) return undefined;
  try {
    await client.db("admin").command({ ...command, ...limited });
    return undefined;
  } catch (error) {
    if (isUnauthorized(error)) return error.message;
    if (error instanceof MongoServerError && unsupportedCodes.includes(error.code)) return error.message;
    throw error;
  }
}

/**
 * Returns the command that ends sessions.
 *
 * @returns undefined for an empty list, with which MongoDB would end all sessions, those of running replicas included
 */
export function killSessionsOf(
  ids: readonly Binary[],
): { readonly killSessions: { readonly id: Binary }[] } | undefined {
  return ids.length === 0 ? undefined : { killSessions: ids.map((id) => ({ id })) };
}
