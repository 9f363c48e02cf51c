import type { AutomationEntry, AutomationOutbox } from "../../automation/automation-outbox.ts";
import { isAutomationHeld } from "../backup/automation-hold.ts";
import type { Collections } from "../documents/collections.ts";
import type { ReadSnapshot } from "../driver/read-snapshot.ts";
import { limited } from "../driver/time-limits.ts";

// Bounds the number of queries of a read.
const storesMax = 16;

/** Implements AutomationOutbox with MongoDB. */
export class MongoAutomationOutbox implements AutomationOutbox {
  readonly #outbox: Collections["automationOutbox"];
  readonly #restores: Collections["restores"];
  readonly #readSnapshot: ReadSnapshot;

  /** @param readSnapshot reads a snapshot, so that no event is read without its store's earlier events */
  constructor(collections: Pick<Collections, "automationOutbox" | "restores">, readSnapshot: ReadSnapshot) {
    this.#outbox = collections.automationOutbox;
    this.#restores = collections.restores;
    this.#readSnapshot = readSnapshot;
  }

  isHeld(): Promise<boolean> {
    return isAutomationHeld(this.#restores);
  }

  async read(countMax: number): Promise<AutomationEntry[]> {
    const waiting = await this.#outbox.distinct("store", {}, limited);
    // In random order, so that each store gets its turn.
    const stores = waiting
      .map((store) => ({ store, place: Math.random() }))
      .sort((one, other) => one.place - other.place)
      .slice(0, storesMax);
    const ofStoreMax = Math.max(1, Math.floor(countMax / stores.length));
    return this.#readSnapshot(async (snapshot) => {
      const read: AutomationEntry[] = [];
      for (const { store } of stores)
        for await (const { _id: eventId, name, event } of this.#outbox
          .find({ store }, { ...snapshot, ...limited })
          .sort({ at: 1 })
          .limit(ofStoreMax))
          read.push({ eventId, storeId: store, name, event: event.value() });
      return read;
    });
  }

  async remove(eventIds: readonly string[]): Promise<void> {
    await this.#outbox.deleteMany({ _id: { $in: [...eventIds] } }, limited);
  }

  async oldestAt(): Promise<Date | undefined> {
    const [oldest] = await this.#outbox
      .find({}, { ...limited, projection: { storedAt: 1 } })
      .sort({ at: 1 })
      .limit(1)
      .toArray();
    return oldest?.storedAt;
  }
}
