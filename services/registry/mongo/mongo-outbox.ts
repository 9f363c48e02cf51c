import type { Filter } from "mongodb";
import type { Outbox, OutboxEntry } from "../outbox/outbox.ts";
import type { Collections } from "./collections.ts";
import { databaseCall } from "./database-error.ts";
import type { OutboxDocument } from "./documents.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";

const timeLimitMs = 10_000;
// Marking all entries may take longer; entries marked before a time-out stay marked.
const takeAllLimitMs = 20_000;

/**
 * Implements Outbox with MongoDB. Reads are majority-committed snapshots: no event is read without its store's earlier
 * events, and no webhook is sent for a change that the list does not show yet.
 */
export class MongoOutbox implements Outbox {
  readonly #outbox: Collections["outbox"];
  readonly #readSnapshot: ReadSnapshot;

  constructor(outbox: Collections["outbox"], readSnapshot: ReadSnapshot) {
    this.#outbox = outbox;
    this.#readSnapshot = readSnapshot;
  }

  async readNew(countMax: number): Promise<OutboxEntry[]> {
    // Null also matches the missing field of a new entry.
    return this.#oldest({ taken: null }, countMax);
  }

  async markTaken(eventIds: readonly string[]): Promise<void> {
    const filter = { _id: { $in: [...eventIds] } };
    await this.#outbox.updateMany(filter, { $set: { taken: true } }, { maxTimeMS: timeLimitMs });
  }

  async markAllTaken(): Promise<void> {
    const options = { maxTimeMS: takeAllLimitMs };
    await this.#outbox.updateMany({ taken: null }, { $set: { taken: true } }, options);
  }

  async storesWithEntries(): Promise<string[]> {
    return this.#outbox.distinct("store", {}, { maxTimeMS: timeLimitMs });
  }

  async readBacklog(storeId: string, after: Date | undefined, countMax: number): Promise<OutboxEntry[]> {
    return this.#oldest({ store: storeId, ...(after && { at: { $gt: after } }) }, countMax);
  }

  /** Returns the time of the oldest entry's event; undefined when the outbox is empty. */
  async oldestAt(): Promise<Date | undefined> {
    return (await oldestCursor(this.#outbox).maxTimeMS(timeLimitMs).next())?.at;
  }

  async findUnsettled(eventIds: readonly string[]): Promise<string[]> {
    const options = { projection: { _id: 1 }, maxTimeMS: timeLimitMs };
    const found = await databaseCall(() => this.#outbox.find({ _id: { $in: [...eventIds] } }, options).toArray());
    return found.map(({ _id }) => _id);
  }

  async #oldest(filter: Filter<OutboxDocument>, countMax: number): Promise<OutboxEntry[]> {
    return this.#readSnapshot((session) =>
      this.#outbox
        .find(filter, { session, maxTimeMS: timeLimitMs })
        .sort({ at: 1 })
        .limit(countMax)
        .map(entryOf)
        .toArray(),
    );
  }
}

/**
 * Returns the query for the oldest entry, taken or not. Listing both values of `taken` lets the index sort the entries.
 */
export function oldestCursor(outbox: Collections["outbox"]) {
  const filter = { taken: { $in: [null, true as const] } };
  return outbox
    .find(filter, { projection: { at: 1 } })
    .sort({ at: 1 })
    .limit(1);
}

function entryOf({ _id, store, certificate, type, at, event }: OutboxDocument): OutboxEntry {
  return { eventId: _id, storeId: store, certificateId: certificate, type, at, event: event.value() };
}
