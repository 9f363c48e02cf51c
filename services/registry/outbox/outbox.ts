import type { EventType } from "#gen/events/v1/certificate_event_pb.js";

/** An event that waits to be published. */
export interface OutboxEntry {
  readonly eventId: string;
  readonly storeId: string;
  readonly certificateId: string;
  readonly type: EventType;
  /** The encoded events.v1.CertificateEvent. */
  readonly event: Uint8Array;
}

/** The events that JetStream has not acknowledged yet. */
export interface Outbox {
  /** The oldest entries; those of one store in the order of its clock, without a hole. */
  oldest(countMax: number): Promise<OutboxEntry[]>;
  /** Removes what is published. */
  remove(eventIds: readonly string[]): Promise<void>;
}

/** The right to do what only one replica may do at a time. */
export interface Lease {
  /** Takes the lease, or prolongs it. @returns whether it is ours now */
  hold(): Promise<boolean>;
  /** Gives it back, if it is ours. */
  release(): Promise<void>;
}

/** Hands one event to JetStream; resolves when the stream has stored it. */
export type Publish = (entry: OutboxEntry) => Promise<void>;
