import type { Outbox, OutboxEntry } from "../outbox/outbox.ts";
import type { Collections } from "./collections.ts";

/** The outbox in MongoDB. Reads with majority: a webhook never tells of a change that the list does not show yet. */
export class MongoOutbox implements Outbox {
  readonly #outbox: Collections["outbox"];

  constructor(outbox: Collections["outbox"]) {
    this.#outbox = outbox;
  }

  async oldest(countMax: number): Promise<OutboxEntry[]> {
    const documents = await this.#outbox.find().sort({ at: 1 }).limit(countMax).toArray();
    return documents.map(({ _id, store, certificate, type, event }) => ({
      eventId: _id,
      storeId: store,
      certificateId: certificate,
      type,
      event: event.value(),
    }));
  }

  async remove(eventIds: readonly string[]): Promise<void> {
    await this.#outbox.deleteMany({ _id: { $in: [...eventIds] } });
  }
}
