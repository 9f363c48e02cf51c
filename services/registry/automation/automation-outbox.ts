/** An event waiting to be published on the stream of automation events. */
export interface AutomationEntry {
  readonly eventId: string;
  readonly storeId: string;
  /** The event's public name as the version that wrote the event knows it. */
  readonly name: string;
  /** The encoded events.v1.CertificateEvent. */
  readonly event: Uint8Array;
}

/** The outbox of automation events. Each event is inserted in the transaction of its certificate change. */
export interface AutomationOutbox {
  /** Returns whether the entries must not be published yet, because the database was restored. */
  isHeld(): Promise<boolean>;
  /**
   * Returns the oldest entries of several stores, in equal shares, so that no store's backlog delays the events of
   * another. Never returns an event without the earlier entries of its store.
   */
  read(countMax: number): Promise<AutomationEntry[]>;
  remove(eventIds: readonly string[]): Promise<void>;
  /** Returns the database's time of the oldest event; undefined when the outbox is empty. */
  oldestAt(): Promise<Date | undefined>;
}

/**
 * Publishes an event; `pending` means that an earlier copy of it is still being stored, and that it must be published
 * again later. Otherwise the stream has stored the event or has refused it permanently.
 *
 * @throws Error for any other failure, such as an outage of NATS
 */
export type PublishAutomationEvent = (entry: AutomationEntry) => Promise<"pending" | undefined>;
