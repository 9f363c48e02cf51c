import { allPartitions } from "#shared/nats/event-stream.ts";
import type { Collections } from "../documents/collections.ts";
import type { MarkDocument } from "../documents/documents.ts";
import { type DatabaseTime, later, toDate, toMs } from "../driver/database-time.ts";
import type { ReadSnapshot } from "../driver/read-snapshot.ts";
import { limited } from "../driver/time-limits.ts";

export interface OutboxMarkDeps {
  readonly collections: Pick<Collections, "outbox" | "marks">;
  readonly readSnapshot: ReadSnapshot;
  /** The server's `transactionLifetimeLimitSeconds`. */
  readonly transactionLifetimeSeconds: number;
  /** Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
}

const name = "outbox";
// A transaction has certainly ended after this many lifetimes: the server looks for expired ones twice per lifetime.
const lifetimes = 2;
// If the clock steps back by less than this, for example when another member becomes primary, the margin suffices.
const setBackMs = 2_000;
// An entry this close to the mark may mean that the database's clock was set back.
const nearMs = 10_000;
// The sum of `nearMs`, `setBackMs`, the second by which the time of a batch's first entry can precede the start of its
// transaction, and two seconds in reserve.
const marginMs = nearMs + 5_000;

/**
 * Returns a filter for the new entries of partitions. Partitions that are listed let the server merge the ranges of an
 * index in the order of `at`. Null also matches the missing field of a new entry.
 */
export function newIn(partitions: readonly number[]) {
  return { partition: { $in: [...partitions] }, taken: null };
}

/**
 * The low-water mark of the outbox: no earlier entry is new (not taken), now or later. Reads of new entries start at
 * the mark: before the mark, the index contains only deleted keys, which the server steps over one by one.
 *
 * The mark is stored, is the same for all partitions, and stays safe when several relays advance it. An entry's time is
 * at most a second before the start of its transaction, and the server ends a transaction after at most two lifetimes.
 * The mark therefore stays two lifetimes plus a margin behind the database's time. The database's time is stored before
 * the outbox is read, so that the read contains all earlier commits. If the database's clock was set back, new entries
 * can precede the mark. {@link advance} then resets it; until then, an entry that follows the mark closely makes a
 * relay read from the beginning ({@link isNear}).
 */
export class OutboxMark {
  readonly #deps: OutboxMarkDeps;
  #from: Date | undefined;
  #resets = 0;

  constructor(deps: OutboxMarkDeps) {
    this.#deps = deps;
  }

  /** A time before which no entry is new; if it is undefined, a read must start at the beginning. */
  get from(): Date | undefined {
    return this.#from;
  }

  /** The number of resets of the mark; each reset invalidates everything derived from an earlier mark. */
  get resets(): number {
    return this.#resets;
  }

  /**
   * Returns whether the first entry at or after the mark is so close to it that new entries may precede the mark.
   *
   * @param at the time of that entry
   */
  isNear(at: Date): boolean {
    return this.#from !== undefined && at.getTime() < this.#from.getTime() + nearMs;
  }

  /**
   * Raises the stored mark, or resets it if the clock was set back.
   *
   * @throws the database's error; the mark is then not raised
   */
  async advance(): Promise<void> {
    const { outbox, marks } = this.#deps.collections;
    const { readAt, from, resets } = await this.#storeTime();
    if (resets !== this.#resets) this.#from = undefined;
    this.#resets = resets;
    const isNew = { ...newIn(allPartitions), ...(from && { at: { $gte: from } }) };
    const read = await this.#deps.readSnapshot(async (snapshot) => {
      const options = { ...snapshot, ...limited };
      const mark = await marks.findOne({ _id: name }, options);
      const oldest = await outbox.find(isNew, options).sort({ at: 1 }).limit(1).next();
      return { readAt: mark?.readAt, oldest: oldest?.at };
    });
    // After an election, a snapshot can be older than an acknowledged write.
    if (read.readAt === undefined || read.readAt < readAt) return;
    const keptBackMs = lifetimes * this.#deps.transactionLifetimeSeconds * 1_000 + marginMs;
    const safe = new Date(readAt.getTime() - keptBackMs);
    const next = read.oldest !== undefined && read.oldest < safe ? read.oldest : safe;
    await marks.updateOne({ _id: name, resets }, { $max: { from: next } }, limited);
    this.#from = from !== null && from > next ? from : next;
  }

  /** Stores the database's time, and resets the mark if the clock was set back. */
  async #storeTime(): Promise<MarkDocument> {
    const now = (this.#deps.databaseTime ?? (() => "$$NOW"))();
    const wasSetBack = { $lt: [toMs(now), { $subtract: [toMs("$clock"), setBackMs] }] };
    const stored = await this.#deps.collections.marks.findOneAndUpdate(
      { _id: name },
      [
        {
          $set: {
            from: { $cond: [wasSetBack, null, { $ifNull: ["$from", null] }] },
            resets: { $add: [{ $ifNull: ["$resets", 0] }, { $cond: [wasSetBack, 1, 0] }] },
            clock: { $cond: [wasSetBack, now, later("$clock", now)] },
            readAt: toDate(toMs(now)),
          },
        },
      ],
      { upsert: true, returnDocument: "after", ...limited },
    );
    if (stored === null) throw new Error("the outbox's mark was not stored");
    return stored;
  }
}
