import type { Filter } from "mongodb";
import { allPartitions } from "#shared/nats/event-stream.ts";
import type { Outbox, OutboxEntry } from "../../outbox/outbox.ts";
import type { Collections } from "../documents/collections.ts";
import type { OutboxDocument } from "../documents/documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import type { ReadSnapshot } from "../driver/read-snapshot.ts";
import { newIn, OutboxMark, type OutboxMarkDeps } from "./outbox-mark.ts";

// The relay has no caller that waits, and may have to read a long outbox.
const timeLimitMs = 10_000;

/**
 * Implements Outbox with MongoDB. Entries are read from majority-committed snapshots: no event is read without its
 * store's earlier events, and no webhook is sent for a change that the list does not show yet.
 *
 * Reads of new entries start at the {@link OutboxMark}. Reads of one store's entries and of the list of stores with
 * entries ignore the mark, so that the relay finds every entry within about 30 s, even one that precedes the mark.
 */
export class MongoOutbox implements Outbox {
  readonly #outbox: Collections["outbox"];
  readonly #readSnapshot: ReadSnapshot;
  readonly #mark: OutboxMark;
  #oldestFrom: { readonly at: Date; readonly resets: number } | undefined;

  constructor(deps: OutboxMarkDeps) {
    this.#outbox = deps.collections.outbox;
    this.#readSnapshot = deps.readSnapshot;
    this.#mark = new OutboxMark(deps);
  }

  async advanceMark(): Promise<void> {
    await this.#mark.advance();
  }

  async readNew(partitions: readonly number[], countMax: number): Promise<OutboxEntry[]> {
    const [first, ...others] = await this.#oldest(this.#newEntries(partitions), countMax);
    if (first === undefined) return [];
    return this.#mark.isNear(first.at) ? this.#oldest(newIn(partitions), countMax) : [first, ...others];
  }

  async markTaken(eventIds: readonly string[]): Promise<void> {
    const filter = { _id: { $in: [...eventIds] } };
    await this.#outbox.updateMany(filter, { $set: { taken: true } }, { maxTimeMS: timeLimitMs });
  }

  async storesWithEntries(): Promise<string[]> {
    return this.#outbox.distinct("store", {}, { maxTimeMS: timeLimitMs });
  }

  async readBacklog(storeId: string, after: Date | undefined, countMax: number): Promise<OutboxEntry[]> {
    return this.#oldest({ store: storeId, ...(after && { at: { $gt: after } }) }, countMax);
  }

  /**
   * Returns the database's time at which the entry was stored that is the oldest by its store's clock; undefined when
   * the outbox is empty.
   */
  async oldestAt(): Promise<Date | undefined> {
    const { from, resets } = this.#mark;
    const start = this.#oldestFrom?.resets === resets ? this.#oldestFrom.at : undefined;
    const oldest = await oldestCursor(this.#outbox, start).maxTimeMS(timeLimitMs).next();
    // The next read can start here: no earlier entry exists now, and entries that are added later have a time of `from`
    // or after.
    this.#oldestFrom = from && { at: oldest !== null && oldest.at < from ? oldest.at : from, resets };
    return oldest?.storedAt;
  }

  async findUnsettled(eventIds: readonly string[]): Promise<string[]> {
    const options = { projection: { _id: 1 }, maxTimeMS: timeLimitMs };
    const found = await databaseCall(() => this.#outbox.find({ _id: { $in: [...eventIds] } }, options).toArray());
    return found.map(({ _id }) => _id);
  }

  #newEntries(partitions: readonly number[]): Filter<OutboxDocument> {
    const { from } = this.#mark;
    return { ...newIn(partitions), ...(from && { at: { $gte: from } }) };
  }

  async #oldest(filter: Filter<OutboxDocument>, countMax: number): Promise<OutboxEntry[]> {
    return this.#readSnapshot((snapshot) =>
      this.#outbox
        .find(filter, { ...snapshot, maxTimeMS: timeLimitMs })
        .sort({ at: 1 })
        .limit(countMax)
        .map(entryOf)
        .toArray(),
    );
  }
}

/**
 * Returns the cursor for the oldest entry, taken or not. With all partitions and both values of `taken` listed, the
 * index can sort the entries.
 *
 * @param from a time before which there is no entry
 */
export function oldestCursor(outbox: Collections["outbox"], from?: Date) {
  const filter = {
    partition: { $in: [...allPartitions] },
    taken: { $in: [null, true as const] },
    ...(from && { at: { $gte: from } }),
  };
  return outbox
    .find(filter, { projection: { at: 1, storedAt: 1 } })
    .sort({ at: 1 })
    .limit(1);
}

function entryOf({ _id, store, certificate, type, at, event, traceparent }: OutboxDocument): OutboxEntry {
  const ids = { eventId: _id, storeId: store, certificateId: certificate };
  return { ...ids, type, at, event: event.value(), ...(traceparent !== undefined && { traceparent }) };
}
