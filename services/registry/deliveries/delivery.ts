import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Webhook } from "../stores/webhooks.ts";
import type { AttemptPhases } from "./attempt-phases.ts";

/** An event that somebody wants to send. */
export interface DeliveryRequest {
  readonly eventId: string;
  readonly storeId: string;
  readonly certificateId: string;
  readonly type: EventType;
  /** Who wished it to be sent; empty for what happened. */
  readonly requestedBy: string;
  /** When it was put into the outbox; undefined where that is not known. */
  readonly queuedAt: Date | undefined;
}

/** How a delivery ended. */
export const outcomeKinds = [
  "delivered",
  "refused",
  "timeout",
  "connection_failed",
  "interrupted",
  "skipped",
  "blocked",
  "tls_failed",
  "redirected",
  "protocol_error",
] as const;

/** How a delivery ended. */
export type OutcomeKind = (typeof outcomeKinds)[number];

/** What became of one event. */
export interface DeliveryOutcome {
  readonly eventId: string;
  readonly kind: OutcomeKind;
  /** 0 when no reply came. */
  readonly httpStatus: number;
  readonly durationMs: number;
  /** A sentence or two for the merchant; never a secret. */
  readonly reason: string;
  readonly phases: AttemptPhases;
  /** The IP address that the message went to; empty when no connection was made. */
  readonly remoteAddress: string;
  /** The beginning of the reply's body, made harmless by the sender; empty when there is none. */
  readonly replyExcerpt: string;
}

/** A claim that was stored. */
export interface StoredClaim {
  /** Whether this very call stored it. */
  readonly isNew: boolean;
  readonly claimedAt: Date;
  readonly isSettled: boolean;
}

/** How stores want their messages, read at one time. */
export interface WebhooksAtNow {
  /** By store id; null where there is none, `unreadable` where a signing secret cannot be opened. */
  readonly webhooks: ReadonlyMap<string, Webhook | "unreadable" | null>;
  /** The time of the database, one clock for all replicas. */
  readonly now: Date;
}

/** Where deliveries are kept. */
export interface DeliveryRecords {
  /** Stores a claim for each event that has none, durably; tells, in order, how each event stands. */
  claim(requests: readonly DeliveryRequest[], claimedBy: string, claimedAt: Date): Promise<StoredClaim[]>;
  /** Stores outcomes, the first of an event is final, and releases the events. */
  settle(outcomes: readonly DeliveryOutcome[]): Promise<void>;
  /** Lets go of events whose outcome is stored: their certificates' next events may be sent. */
  release(eventIds: readonly string[]): Promise<void>;
  /** The present webhooks of stores. */
  webhooksOf(storeIds: readonly string[]): Promise<WebhooksAtNow>;
}
