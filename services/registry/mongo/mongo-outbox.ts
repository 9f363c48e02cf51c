import type { ClientSession, Filter } from "mongodb";
import type { Outbox, OutboxEntry } from "../outbox/outbox.ts";
import type { Collections } from "./collections.ts";
import type { OutboxDocument } from "./documents.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";

const timeLimitMs = 10_000;
// What it got done stays done when it is cut off.
const takeAllLimitMs = 20_000;

/**
 * The outbox in MongoDB. Events are read as of one point in time, so that none is seen without those before it, and of the
 * majority: a webhook never tells of a change that the list does not show yet.
 */
export class MongoOutbox implements Outbox {
  readonly #outbox: Collections["outbox"];
  readonly #readSnapshot: ReadSnapshot;

  constructor(outbox: Collections["outbox"], readSnapshot: ReadSnapshot) {
    this.#outbox = outbox;
    this.#readSnapshot = readSnapshot;
  }

  async readNew(countMax: number): Promise<OutboxEntry[]> {
    // Null: not there, as in every entry that is inserted.
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
    const filter = { store: storeId, ...(after === undefined ? {} : { at: { $gt: after } }) };
    return this.#oldest(filter, countMax);
  }

  /** When the oldest entry of all happened; undefined when there is none. */
  async oldestAt(): Promise<Date | undefined> {
    return (await oldestCursor(this.#outbox).maxTimeMS(timeLimitMs).next())?.at;
  }

  async findUnsettled(eventIds: readonly string[]): Promise<string[]> {
    const options = { projection: { _id: 1 }, maxTimeMS: timeLimitMs };
    const found = await this.#outbox.find({ _id: { $in: [...eventIds] } }, options).toArray();
    return found.map(({ _id }) => _id);
  }

  async #oldest(filter: Filter<OutboxDocument>, countMax: number): Promise<OutboxEntry[]> {
    const options = (session: ClientSession) => ({ session, maxTimeMS: timeLimitMs });
    const documents = await this.#readSnapshot((session) =>
      this.#outbox.find(filter, options(session)).sort({ at: 1 }).limit(countMax).toArray(),
    );
    return documents.map(entryOf);
  }
}

/** The oldest entry, taken or not. Both values are named, so that the index over them has the order. */
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
