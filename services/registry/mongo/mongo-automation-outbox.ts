import type { AutomationEntry, AutomationOutbox } from "../automation/automation-outbox.ts";
import type { Collections } from "./collections.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";
import { operationTimeLimitMs } from "./time-limits.ts";

const limits = { maxTimeMS: operationTimeLimitMs };

/** Implements AutomationOutbox with MongoDB. */
export class MongoAutomationOutbox implements AutomationOutbox {
  readonly #outbox: Collections["automationOutbox"];
  readonly #readSnapshot: ReadSnapshot;

  /** @param readSnapshot reads a snapshot, so that no event is read without its store's earlier events */
  constructor(outbox: Collections["automationOutbox"], readSnapshot: ReadSnapshot) {
    this.#outbox = outbox;
    this.#readSnapshot = readSnapshot;
  }

  read(countMax: number): Promise<AutomationEntry[]> {
    return this.#readSnapshot((snapshot) =>
      this.#outbox
        .find({}, { ...snapshot, ...limits })
        .sort({ at: 1 })
        .limit(countMax)
        .map(({ _id: eventId, store: storeId, event }) => ({ eventId, storeId, event: event.value() }))
        .toArray(),
    );
  }

  async remove(eventIds: readonly string[]): Promise<void> {
    await this.#outbox.deleteMany({ _id: { $in: [...eventIds] } }, limits);
  }

  async oldestAt(): Promise<Date | undefined> {
    const [oldest] = await this.#outbox
      .find({}, { ...limits, projection: { at: 1 } })
      .sort({ at: 1 })
      .limit(1)
      .toArray();
    return oldest?.at;
  }
}
