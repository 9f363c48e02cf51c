import type { EventType } from "#gen/events/v1/certificate_event_pb.js";

/** An unsettled event: the outcome of its delivery is not stored yet. */
export interface OutboxEntry {
  readonly eventId: string;
  readonly storeId: string;
  readonly certificateId: string;
  readonly type: EventType;
  /**
   * When the event occurred; for a manual send, when it was requested. Unique within the store; defines the order of
   * the store's entries.
   */
  readonly at: Date;
  /** The encoded events.v1.CertificateEvent. */
  readonly event: Uint8Array;
  /** The trace of the change, as a W3C `traceparent`; absent if the trace is not recorded. */
  readonly traceparent?: string;
}

/**
 * The relay's view of the transactional outbox. A change inserts its events in its own transaction; an entry is deleted
 * once the outcome of its delivery is stored. A relay marks new entries as taken once it has read them. It marks no
 * others: a relay that has been paused and has lost its partitions would hide them from the relay that has them.
 */
export interface Outbox {
  /** Advances the low-water mark at which reads of new entries start. The relay calls this method every few seconds. */
  advanceMark(): Promise<void>;
  /**
   * Returns the oldest entries of these partitions that are not taken, in clock order and without gaps within each
   * store.
   */
  readNew(partitions: readonly number[], countMax: number): Promise<OutboxEntry[]>;
  markTaken(eventIds: readonly string[]): Promise<void>;
  /** Returns the ids of the stores that have entries, of all partitions. */
  storesWithEntries(): Promise<string[]>;
  /** Returns a store's oldest entries after the given time, taken or not, in clock order. */
  readBacklog(storeId: string, after: Date | undefined, countMax: number): Promise<OutboxEntry[]>;
  /** Returns the ids of those events that still have an entry. */
  findUnsettled(eventIds: readonly string[]): Promise<string[]>;
}

/**
 * How publishing an event ended: undefined when the stream has stored it, `settled` when it was quarantined instead,
 * `refused` when it must be published again later.
 */
type PublishResult = "settled" | "refused" | undefined;

/** Publishes one event to JetStream. @throws Error for any other failure, such as an outage of NATS */
export type Publish = (entry: OutboxEntry) => Promise<PublishResult>;
