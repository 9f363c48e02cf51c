import type { FindOptions } from "mongodb";
import type { Outbox, OutboxEntry } from "../outbox/outbox.ts";
import type { Collections } from "./collections.ts";
import type { OutboxDocument } from "./documents.ts";

const timeLimitMs = 10_000;
// As of one point in time: a read that goes on while two events are committed could show the later one alone. And of
// the majority: a webhook never tells of a change that the list does not show yet.
const read: FindOptions = { readConcern: { level: "snapshot" }, maxTimeMS: timeLimitMs };

/** The outbox in MongoDB. */
export class MongoOutbox implements Outbox {
  readonly #outbox: Collections["outbox"];

  constructor(outbox: Collections["outbox"]) {
    this.#outbox = outbox;
  }

  async fresh(countMax: number): Promise<OutboxEntry[]> {
    // Null: not there, as in every entry that is inserted.
    const found = this.#outbox.find({ taken: null }, read).sort({ at: 1 }).limit(countMax);
    return (await found.toArray()).map(entryOf);
  }

  async take(eventIds: readonly string[]): Promise<void> {
    const filter = { _id: { $in: [...eventIds] } };
    await this.#outbox.updateMany(filter, { $set: { taken: true } }, { maxTimeMS: timeLimitMs });
  }

  async takeAll(): Promise<void> {
    await this.#outbox.updateMany({ taken: null }, { $set: { taken: true } });
  }

  async stores(): Promise<string[]> {
    return this.#outbox.distinct("store", {}, { maxTimeMS: timeLimitMs });
  }

  async ofStore(storeId: string, after: Date | undefined, countMax: number): Promise<OutboxEntry[]> {
    const filter = { store: storeId, ...(after === undefined ? {} : { at: { $gt: after } }) };
    return (await this.#outbox.find(filter, read).sort({ at: 1 }).limit(countMax).toArray()).map(entryOf);
  }

  async unsettled(eventIds: readonly string[]): Promise<string[]> {
    const options = { projection: { _id: 1 }, maxTimeMS: timeLimitMs };
    const found = await this.#outbox.find({ _id: { $in: [...eventIds] } }, options).toArray();
    return found.map(({ _id }) => _id);
  }
}

function entryOf({ _id, store, certificate, type, at, event }: OutboxDocument): OutboxEntry {
  return { eventId: _id, storeId: store, certificateId: certificate, type, at, event: event.value() };
}
