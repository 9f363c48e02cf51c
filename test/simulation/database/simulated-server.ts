import { Binary, BSON } from "mongodb";
import { z } from "zod";
import type { Clock } from "#shared/time/clock.ts";
import { helloOf } from "../../harness/fake-database.ts";
import type { Doc } from "./bson-value.ts";
import type { CommandContext, ExecutedStatement } from "./command-context.ts";
import { type Envelope, envelopeOf } from "./command-schema.ts";
import { readCommands } from "./read-commands.ts";
import { ServerError } from "./server-error.ts";
import { LockedBy, StoredCollection } from "./stored-collection.ts";
import { Timeline, type Transaction } from "./timeline.ts";
import { collectionCommands, documentCommands } from "./write-commands.ts";

export interface SimulatedServerOptions {
  /** The server's clock: `$$NOW`, time limits and the life of transactions. */
  readonly clock: Clock;
  /** Default 15. */
  readonly transactionLifetimeSeconds?: number;
  /**
   * Returns how long a commit takes to reach a majority, which the reply to a write waits for. Default: no time, so
   * that a failover loses nothing.
   */
  readonly replicationMs?: () => number;
  /**
   * Returns how long a command that is not part of a transaction lets others run between two documents or statements.
   * Default: never, so that each command is atomic.
   */
  readonly pauseMs?: () => number;
}

/** The documents of a database, by collection. */
type Backup = ReadonlyMap<string, readonly Doc[]>;

/** A write that the driver may repeat. */
class RetryableWrite {
  readonly executed = new Map<number, ExecutedStatement>();
  /** While it runs, and after its success. */
  reply: Promise<Doc> | undefined;
  /** Its last commit; infinite until its success. */
  at = Number.POSITIVE_INFINITY;

  /** Forgets what was rolled back to a commit: a repetition executes it again. */
  rollBack(majority: number): void {
    if (this.at > majority) this.reply = undefined;
    for (const [index, { at }] of this.executed) if (at > majority) this.executed.delete(index);
  }
}

/** What ends a command. */
interface CommandLimits {
  readonly endsAtMs: number;
  readonly steppedDown: AbortSignal;
  /** Aborts when another client ends the session. */
  readonly killed: AbortSignal | undefined;
}

/** What a command belongs to. */
interface CommandOrigin {
  readonly session: Session | undefined;
  readonly transaction: Transaction | undefined;
  readonly write: RetryableWrite | undefined;
}

/** A logical session. */
interface Session {
  /** Its latest transaction number. */
  number: bigint;
  transaction: Transaction | undefined;
  /** The latest write that the driver may repeat. */
  write: RetryableWrite | undefined;
  /** Aborts when another client ends the session. */
  killed: AbortController;
}

const killCommand = z.object({ killSessions: z.array(z.object({ id: z.instanceof(Binary) })) });

/**
 * A MongoDB replica set in one object. It has MongoDB's snapshot isolation, write conflicts, unique indexes, sessions
 * and retryable writes, as far as the registry uses them; test/database-contract compares it with MongoDB. It does no
 * I/O, and reads the time only from its clock.
 */
export class SimulatedServer {
  readonly #clock: Clock;
  readonly #lifetimeSeconds: number;
  readonly #replicationMs: (() => number) | undefined;
  readonly #pauseMs: () => number;
  readonly #timeline = new Timeline();
  readonly #databases = new Map<string, Map<string, StoredCollection>>();
  readonly #cursors = new Map<bigint, readonly Doc[]>();
  readonly #sessions = new Map<string, Session>();
  #lastCursor = 0n;
  #steppedDown = new AbortController();

  constructor({ clock, transactionLifetimeSeconds = 15, replicationMs, pauseMs = () => 0 }: SimulatedServerOptions) {
    this.#clock = clock;
    this.#lifetimeSeconds = transactionLifetimeSeconds;
    this.#replicationMs = replicationMs;
    this.#pauseMs = pauseMs;
  }

  /** Creates the collections of another server, with their indexes and without their documents. */
  copyIndexes(other: SimulatedServer): void {
    for (const [database, collections] of other.#databases)
      for (const [name, { indexDefinitions }] of collections)
        for (const definition of indexDefinitions) this.#collection(database, name).addIndex(definition);
  }

  /** Runs a command, decoded with {@link decoding}. @returns the encoded reply */
  async run(command: Doc): Promise<Uint8Array> {
    return BSON.serialize(await this.#reply(command));
  }

  /** Makes another member the primary, which lacks the commits that no majority has. */
  failOver(): void {
    const { majority } = this.#timeline;
    this.#timeline.abortAll();
    for (const collections of this.#databases.values())
      for (const collection of collections.values()) collection.rollBack(majority);
    for (const session of this.#sessions.values()) {
      session.write?.rollBack(majority);
      if ((session.transaction?.committedAt ?? 0) > majority) session.transaction = undefined;
    }
    this.#cursors.clear();
    this.#steppedDown.abort();
    this.#steppedDown = new AbortController();
  }

  /** Returns the documents that a majority has, by collection of a database. */
  backUp(database: string): Backup {
    return new Map(Array.from(this.#database(database), ([name, collection]) => [name, collection.copy()]));
  }

  /** Drops the database and restores a backup. Transactions end, and sessions are forgotten. */
  restore(database: string, backup: Backup): void {
    this.failOver();
    this.#sessions.clear();
    for (const [name, collection] of this.#database(database)) collection.replaceAll(backup.get(name) ?? []);
    this.#timeline.replicate(this.#timeline.latest);
  }

  /** Deletes expired documents, as MongoDB does every minute. @returns their number */
  removeExpired(): number {
    const now = this.#now();
    let count = 0;
    for (const collections of this.#databases.values())
      for (const collection of collections.values()) count += collection.removeExpired(now);
    this.#timeline.replicate(this.#timeline.latest);
    return count;
  }

  #now(): Date {
    return new Date(Math.floor(this.#clock.now()));
  }

  async #reply(command: Doc): Promise<Doc> {
    this.#timeline.abortExpired(this.#clock.now());
    const [name = ""] = Object.keys(command);
    const fields = envelopeOf(command);
    const { isInTransaction } = fields;
    try {
      return { ok: 1, ...(await this.#dispatch(name, command, fields)) };
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      return error.reply(isInTransaction, !isInTransaction || name === "commitTransaction");
    }
  }

  #dispatch(name: string, command: Doc, fields: Envelope): Promise<Doc> | Doc {
    const { sessionId, txnNumber } = fields;
    const session = sessionId && this.#session(sessionId);
    if (session !== undefined && txnNumber !== undefined && txnNumber < session.number)
      throw new ServerError(
        "TransactionTooOld",
        `Cannot start transaction ${txnNumber}, because a newer transaction ${session.number} has already started.`,
      );
    if (fields.isInTransaction) {
      if (session === undefined) throw new ServerError("BadValue", "a transaction needs a session");
      if (name === "commitTransaction") return this.#commit(session, fields);
      const transaction = this.#transactionOf(session, fields);
      if (name === "abortTransaction") return this.#abort(transaction);
      return this.#runInTransaction(transaction, () => this.#run(name, command, fields, session, transaction));
    }
    if (session === undefined || txnNumber === undefined) return this.#run(name, command, fields, session);
    return this.#runOnce(session, txnNumber, (write) => this.#run(name, command, fields, session, undefined, write));
  }

  #session(id: Binary): Session {
    const key = id.toString("hex");
    const found = this.#sessions.get(key);
    if (found !== undefined) return found;
    const created = { number: -1n, transaction: undefined, write: undefined, killed: new AbortController() };
    this.#sessions.set(key, created);
    return created;
  }

  #transactionOf(session: Session, { txnNumber = 0n, startsTransaction }: Envelope): Transaction {
    if (startsTransaction) {
      if (session.transaction !== undefined) this.#timeline.abort(session.transaction);
      session.number = txnNumber;
      session.write = undefined;
      session.transaction = this.#timeline.begin(this.#clock.now() + this.#lifetimeSeconds * 1_000);
    }
    const { transaction } = session;
    if (session.number !== txnNumber || transaction?.state !== "open")
      throw new ServerError(
        "NoSuchTransaction",
        `Given transaction number ${txnNumber} does not match any in-progress transactions.`,
      );
    return transaction;
  }

  /** An error ends the transaction, also one of a single statement. */
  async #runInTransaction(transaction: Transaction, run: () => Promise<Doc>): Promise<Doc> {
    try {
      const reply = await run();
      if (reply.writeErrors !== undefined || Number(reply.nErrors ?? 0) > 0) this.#timeline.abort(transaction);
      return reply;
    } catch (error) {
      this.#timeline.abort(transaction);
      throw error;
    }
  }

  async #commit(session: Session, { txnNumber, waitsForMajority }: Envelope): Promise<Doc> {
    const { transaction, number } = session;
    if (number !== txnNumber || transaction === undefined || transaction.state === "aborted")
      throw new ServerError("NoSuchTransaction", `Transaction ${txnNumber} has been aborted.`);
    if (transaction.state === "open") this.#timeline.commit(transaction);
    await this.#acknowledge(transaction.committedAt, waitsForMajority);
    return {};
  }

  #abort(transaction: Transaction): Doc {
    this.#timeline.abort(transaction);
    return {};
  }

  /** Runs a write that the driver may send again; the second one returns the first one's reply. */
  #runOnce(session: Session, txnNumber: bigint, run: (write: RetryableWrite) => Promise<Doc>): Promise<Doc> {
    if (session.number !== txnNumber || session.write === undefined) {
      if (session.transaction !== undefined) this.#timeline.abort(session.transaction);
      session.transaction = undefined;
      session.number = txnNumber;
      session.write = new RetryableWrite();
    }
    const { write } = session;
    if (write.reply !== undefined) return write.reply;
    write.at = Number.POSITIVE_INFINITY;
    const reply = run(write);
    write.reply = reply;
    reply.catch(() => {
      if (write.reply === reply) write.reply = undefined;
    });
    return reply;
  }

  async #run(
    name: string,
    command: Doc,
    { database, waitsForMajority }: Envelope,
    session: Session | undefined,
    transaction?: Transaction,
    write?: RetryableWrite,
  ): Promise<Doc> {
    const handler = readCommands[name] ?? documentCommands[name] ?? collectionCommands[name];
    if (handler === undefined) return this.#serve(name, command);
    const context = this.#context(command, database, { session, transaction, write });
    const reply = await handler(context, command);
    if (name in documentCommands && transaction === undefined) {
      const at = context.writtenAt();
      if (write !== undefined) write.at = at;
      await this.#acknowledge(at, waitsForMajority);
    }
    return reply;
  }

  #context(command: Doc, database: string, { session, transaction, write }: CommandOrigin): CommandContext {
    const target = "bulkWrite" in command ? bulkDatabase(command) : database;
    const collections = this.#database(target);
    const limits = {
      endsAtMs: this.#clock.now() + (Number(command.maxTimeMS ?? 0) || Number.POSITIVE_INFINITY),
      steppedDown: this.#steppedDown.signal,
      killed: session?.killed.signal,
    };
    let writtenAt: number | undefined;
    return {
      now: this.#now(),
      transaction,
      database: target,
      collections,
      cursors: this.#cursors,
      newCursor: () => ++this.#lastCursor,
      collection: (name) => this.#collection(target, name),
      readAt: (level) => (level === "majority" || level === "snapshot" ? this.#timeline.majority : undefined),
      attempt: (change) =>
        this.#attempt(() => {
          const result = change();
          writtenAt = this.#timeline.latest;
          return result;
        }, limits),
      writtenAt: () => writtenAt ?? this.#timeline.latest,
      executed: write?.executed,
      pause: () => (transaction === undefined ? this.#pause(limits) : undefined),
    };
  }

  #database(name: string): Map<string, StoredCollection> {
    const collections = this.#databases.get(name) ?? new Map<string, StoredCollection>();
    this.#databases.set(name, collections);
    return collections;
  }

  #collection(database: string, name: string): StoredCollection {
    const collections = this.#database(database);
    const collection = collections.get(name) ?? new StoredCollection(`${database}.${name}`, this.#timeline);
    collections.set(name, collection);
    return collection;
  }

  async #attempt<T>(change: () => T, limits: CommandLimits): Promise<T> {
    for (;;) {
      this.#requireTime(limits);
      try {
        return change();
      } catch (error) {
        if (!(error instanceof LockedBy)) throw error;
        await this.#waitFor(error.writer, limits);
      }
    }
  }

  #pause(limits: CommandLimits): Promise<void> | undefined {
    const durationMs = this.#pauseMs();
    return durationMs <= 0 ? undefined : this.#pauseFor(durationMs, limits);
  }

  async #pauseFor(durationMs: number, limits: CommandLimits): Promise<void> {
    // What interrupts the command meanwhile is noticed after the pause, as MongoDB does at its yields.
    await this.#clock.sleep(durationMs);
    this.#requireTime(limits);
  }

  #requireTime({ endsAtMs, steppedDown, killed }: CommandLimits): void {
    if (steppedDown.aborted) throw new ServerError("InterruptedDueToReplStateChange", "operation was interrupted");
    if (killed?.aborted) throw new ServerError("Interrupted", "operation was interrupted");
    if (this.#clock.now() >= endsAtMs) throw new ServerError("MaxTimeMSExpired", "operation exceeded time limit");
  }

  /** Waits until a transaction has ended, or a time has come. */
  async #waitFor(writer: Transaction, limits: CommandLimits): Promise<void> {
    const done = new AbortController();
    const leftMs = Math.min(limits.endsAtMs, writer.expiresAtMs) - this.#clock.now();
    await Promise.race([
      writer.ended,
      this.#clock.sleep(Math.max(0, leftMs), AbortSignal.any([done.signal, ...interruptionsOf(limits)])),
    ]);
    done.abort();
    this.#timeline.abortExpired(this.#clock.now());
  }

  /** Waits until a majority has a commit, unless the client asks for less. */
  async #acknowledge(at: number, waitsForMajority: boolean): Promise<void> {
    const replicated = this.#replicate(at, this.#steppedDown.signal);
    if (waitsForMajority) await replicated;
    else replicated.catch(() => undefined);
  }

  async #replicate(at: number, steppedDown: AbortSignal): Promise<void> {
    if (this.#replicationMs !== undefined) await this.#clock.sleep(this.#replicationMs(), steppedDown);
    if (steppedDown.aborted && this.#timeline.majority < at)
      throw new ServerError("InterruptedDueToReplStateChange", "the primary stepped down");
    this.#timeline.replicate(at);
  }

  /** Runs a command that concerns the whole server. */
  #serve(name: string, command: Doc): Doc {
    switch (name) {
      case "hello":
      case "isMaster":
        return { ...helloOf(address), localTime: this.#now() };
      case "ping":
      case "endSessions":
        return {};
      case "buildInfo":
        return { version: "8.0.0" };
      case "getParameter":
        return { transactionLifetimeLimitSeconds: this.#lifetimeSeconds };
      case "killSessions":
        for (const { id } of killCommand.parse(command).killSessions) this.#kill(this.#session(id));
        return {};
      default:
        throw new ServerError("CommandNotFound", `no such command: '${name}'`);
    }
  }

  #kill(session: Session): void {
    if (session.transaction !== undefined) this.#timeline.abort(session.transaction);
    session.killed.abort();
    session.killed = new AbortController();
  }
}

/** The address that the server reports. */
const address = "simulated.invalid:27017";

function interruptionsOf({ steppedDown, killed }: CommandLimits): AbortSignal[] {
  return killed === undefined ? [steppedDown] : [steppedDown, killed];
}

const namespaces = z.tuple([z.object({ ns: z.string() })], z.unknown());

function bulkDatabase({ nsInfo }: Doc): string {
  const [{ ns }] = namespaces.parse(nsInfo);
  return ns.slice(0, ns.indexOf("."));
}
