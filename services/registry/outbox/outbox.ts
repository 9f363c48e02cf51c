import type { EventType } from "#gen/events/v1/certificate_event_pb.js";

/** An event whose delivery is not settled. */
export interface OutboxEntry {
  readonly eventId: string;
  readonly storeId: string;
  readonly certificateId: string;
  readonly type: EventType;
  /** When it happened: unique in the store, and its place in the store's order. */
  readonly at: Date;
  /** The encoded events.v1.CertificateEvent. */
  readonly event: Uint8Array;
}

/** The events whose delivery is not settled: each stays until its outcome is recorded. */
export interface Outbox {
  /** The oldest entries that no relay has taken; those of one store in the order of its clock, without a hole. */
  fresh(countMax: number): Promise<OutboxEntry[]>;
  /** Notes that the relay knows of them. */
  take(eventIds: readonly string[]): Promise<void>;
  /** Takes all that is there. */
  takeAll(): Promise<void>;
  /** The stores that have entries. */
  stores(): Promise<string[]>;
  /** A store's oldest entries after a time, taken or not, in the order of its clock. */
  ofStore(storeId: string, after: Date | undefined, countMax: number): Promise<OutboxEntry[]>;
  /** Which of these are still there. */
  unsettled(eventIds: readonly string[]): Promise<string[]>;
}

/** The right to do what only one replica may do at a time. */
export interface Lease {
  /** Takes the lease, or prolongs it, for {@link leaseLifeMs}. @returns whether it is ours now */
  hold(): Promise<boolean>;
  /** Gives it back, if it is ours. */
  release(): Promise<void>;
}

/** How long a lease holds after it was last taken or prolonged. */
export const leaseLifeMs = 5_000;

/** Hands one event to JetStream; resolves when the stream has stored it. */
export type Publish = (entry: OutboxEntry) => Promise<void>;
