import type { ClientSession, MongoClient } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import { signedOut } from "../../sessions/sessions.ts";
import type { RecordedStoreChange, StoreChange, StoreHistory, StoreHistoryEntry } from "../../stores/store-history.ts";
import { newId } from "../../values/identifiers.ts";
import type { LogPlace } from "../../values/page-token.ts";
import type { Collections } from "../documents/collections.ts";
import type { StoreHistoryDocument } from "../documents/documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { type RetryOptions, runTransaction, type TransactionResult } from "../driver/run-transaction.ts";
import { beyond } from "../driver/scan-position.ts";
import { limited } from "../driver/time-limits.ts";

interface MongoStoreHistoryDeps {
  readonly client: MongoClient;
  readonly collections: Pick<Collections, "sessions" | "storeHistory">;
  /** The database's clock. */
  readonly clock: Clock;
  /** See {@link RetryOptions.onSession}. */
  readonly onSession?: RetryOptions["onSession"];
  /** Called with each entry after the transaction that wrote it has committed. */
  readonly onRecorded: (entry: RecordedStoreChange) => void;
}

/** The result of a change made in {@link MongoStoreHistory.record}. */
export interface ChangeResult<T> {
  /** If false, no entry is written. */
  readonly hasChanged: boolean;
  readonly value: T;
}

// A store's settings and webhook are in the same document as its clock, which every certificate change advances. With
// longer pauses between attempts, a change of the settings could keep conflicting with a running import for seconds.
const pauseMaxMs = 5;

/** Implements StoreHistory, and writes each change in one transaction with its entry. */
export class MongoStoreHistory implements StoreHistory {
  readonly #deps: MongoStoreHistoryDeps;

  constructor(deps: MongoStoreHistoryDeps) {
    this.#deps = deps;
  }

  /**
   * Runs a change and writes its entry in one transaction, which is retried on conflicts.
   *
   * @param work makes the change in the session. Conflicts are rarest if its first command is the write.
   */
  record<T>(
    storeId: string,
    change: StoreChange,
    work: (session: ClientSession) => Promise<ChangeResult<T>>,
  ): Promise<T> {
    return this.recordAll(storeId, async (session) => {
      const { hasChanged, value } = await work(session);
      return { changes: hasChanged ? [change] : [], value };
    });
  }

  /** Like {@link record}, for work that makes several changes, which it returns. */
  async recordAll<T>(
    storeId: string,
    work: (session: ClientSession) => Promise<{ readonly changes: readonly StoreChange[]; readonly value: T }>,
  ): Promise<T> {
    const { collections, clock, onRecorded } = this.#deps;
    const { entries, value } = await this.transact(async (session) => {
      const result = await work(session);
      const occurredAt = new Date(clock.now());
      const recorded: RecordedStoreChange[] = [];
      for (const { action, actor, details, session: tokenHash } of result.changes) {
        if (tokenHash !== undefined) await this.requireSession(tokenHash, session);
        const id = newId("adm");
        const named = Object.entries(details).map(([name, fact]) => ({ name, value: fact }));
        const entry = { _id: id, store: storeId, at: occurredAt, action, actor, details: named };
        await collections.storeHistory.insertOne(entry, { session });
        recorded.push({ id, storeId, occurredAt, action, actor, details });
      }
      return { commit: true, value: { entries: recorded, value: result.value } };
    });
    for (const entry of entries) onRecorded(entry);
    return value;
  }

  /** Conflicts with a revocation of the session, so that nothing is changed in a session that has been revoked. */
  async requireSession(tokenHash: string, session: ClientSession): Promise<void> {
    const { sessions } = this.#deps.collections;
    const isOpen = { _id: tokenHash, revokedAt: { $exists: false } };
    const { matchedCount } = await sessions.updateOne(isOpen, { $inc: { changes: 1 } }, { session });
    if (matchedCount === 0) throw signedOut();
  }

  /** Runs a change that has no entry in one transaction, which is retried on conflicts. */
  transact<T>(work: (session: ClientSession) => Promise<TransactionResult<T>>): Promise<T> {
    const { client, onSession } = this.#deps;
    return databaseCall(() => runTransaction(client, work, { pauseMaxMs, onSession }));
  }

  note(storeId: string, change: StoreChange): Promise<void> {
    return this.record(storeId, change, async () => ({ hasChanged: true, value: undefined }));
  }

  read(storeId: string, after: LogPlace | undefined, countMax: number): Promise<StoreHistoryEntry[]> {
    const isLater = after && beyond(["at", "_id"], [after.at, after.id], "$lt");
    return databaseCall(() =>
      this.#deps.collections.storeHistory
        .find({ store: storeId, ...isLater }, limited)
        .sort({ at: -1, _id: -1 })
        .limit(countMax)
        .map(entryOf)
        .toArray(),
    );
  }
}

function entryOf({ _id, at, action, actor, details }: StoreHistoryDocument): StoreHistoryEntry {
  const facts = Object.fromEntries(details.map(({ name, value }) => [name, value]));
  return { id: _id, occurredAt: at, action, actor, details: facts };
}
