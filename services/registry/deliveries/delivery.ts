import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Reason } from "#shared/reasons/reason.ts";
import type { Webhook } from "../stores/webhooks.ts";

/** A request to claim an event for delivery. */
export interface DeliveryRequest {
  readonly eventId: string;
  readonly storeId: string;
  readonly certificateId: string;
  readonly type: EventType;
  /** The actor who requested a manual send; the empty string for an event. */
  readonly requestedBy: string;
  /** When the event was inserted into the outbox; undefined when unknown. */
  readonly queuedAt: Date | undefined;
  /** The epoch of events when the event was inserted into the outbox. Default: unknown. */
  readonly epoch?: string | undefined;
  /**
   * Identifies the attempt, so that it can retry a claim whose response was lost; the empty string if the caller sent
   * no token.
   */
  readonly attemptToken: string;
}

/** The kinds of delivery outcome; deploy/operations/deliveries.md describes them. */
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

/** One of {@link outcomeKinds}. */
export type OutcomeKind = (typeof outcomeKinds)[number];

/** The name of a kind that only later versions know. */
type LaterKind = string & { readonly isLater: unique symbol };

/** Returns whether a name can be that of a kind that only later versions know. */
export function isLaterKind(name: string): name is LaterKind {
  return /^[a-z][a-z_]{0,39}$/.test(name) && outcomeKinds.every((known) => known !== name);
}

/**
 * The phases of an attempt: DNS query, TCP connect, TLS handshake, sending the message, waiting for the final status
 * line.
 */
const phaseNames = ["resolveMs", "connectMs", "tlsMs", "sendMs", "replyMs"] as const;

/** Duration of each phase in milliseconds; phases that did not begin are absent. */
type AttemptPhases = { readonly [name in (typeof phaseNames)[number]]?: number };

/** Copies the phases of an object that may have other fields; returns an empty object for undefined. */
export function phasesOf(
  source: { readonly [name in keyof AttemptPhases]?: number | undefined } | undefined,
): AttemptPhases {
  const pairs = phaseNames.flatMap((name) => {
    const ms = source?.[name];
    return ms === undefined ? [] : [[name, ms] as const];
  });
  return Object.fromEntries(pairs);
}

/** The outcome of one delivery. */
export interface DeliveryOutcome {
  readonly eventId: string;
  readonly kind: OutcomeKind | LaterKind;
  /** 0 if no final status was received. */
  readonly httpStatus: number;
  readonly durationMs: number;
  /** Null if the sender stated none. */
  readonly reason: Reason | null;
  readonly phases: AttemptPhases;
  /** The IP address of the receiver, or the empty string if no connection was opened. */
  readonly remoteAddress: string;
  /** The beginning of the response body, sanitized by the sender; the empty string if there was no body. */
  readonly replyExcerpt: string;
  /** The headers and the body of a test message that was sent; otherwise absent or the empty string. */
  readonly sentRequest?: string;
}

/** The stored claim of an event. */
export interface StoredClaim {
  /** Whether the current call stored the claim. */
  readonly isNew: boolean;
  readonly claimedAt: Date;
  readonly isSettled: boolean;
  /** The token of the attempt that stored the claim; the empty string if it had none. */
  readonly attemptToken: string;
}

/** The claimant and the time of a claim, and the time limit for writing it. */
export interface ClaimOrigin {
  /** Name of the notifier, or of the part of the registry, that claims the event. */
  readonly claimedBy: string;
  /** The database's time, read after the claiming call began. */
  readonly claimedAt: Date;
  /** Time limit of the write. Default: none. */
  readonly timeLimitMs?: number | undefined;
}

/** The outcome of a delivery, with the condition, if any, for storing it. */
export interface OutcomeToStore extends DeliveryOutcome {
  /** If set, the outcome is stored only if `claimedAt` is still this time, so that a renewed claim is not settled. */
  readonly ifClaimedAt?: Date;
}

/** The webhooks of stores, and the time at which they were read. */
export interface WebhooksSnapshot {
  /** Each existing store's webhook, by store id: null if none is set, `unreadable` if a secret cannot be decrypted. */
  readonly webhooks: ReadonlyMap<string, Webhook | "unreadable" | null>;
  /** The database's time, one clock for all replicas; this process's time if no store was found. */
  readonly now: Date;
}

/** Storage of claims and outcomes. */
export interface DeliveryRecords {
  /** Age at which a claim without an outcome counts as abandoned, in milliseconds. */
  readonly claimLifeMs: number;
  /** Durably claims each event that is not yet claimed. @returns the claims in the order of the requests */
  claim(requests: readonly DeliveryRequest[], origin: ClaimOrigin): Promise<StoredClaim[]>;
  /**
   * Renews the claims that the requesting attempts stored and that have no outcome: sets `claimedAt` to `now`, or keeps
   * a later `claimedAt`.
   *
   * @returns the ids of the events with such claims
   */
  renew(requests: readonly DeliveryRequest[], now: Date): Promise<ReadonlySet<string>>;
  /**
   * Stores outcomes and releases the events. The first outcome of an event is final.
   *
   * @returns the ids of the events that have an outcome now
   */
  settle(outcomes: readonly OutcomeToStore[]): Promise<ReadonlySet<string>>;
  /** Deletes settled events from the outbox, so that their certificates' next events can be published. */
  release(eventIds: readonly string[]): Promise<void>;
  /** Returns the current webhooks of stores. */
  webhooksOf(storeIds: readonly string[]): Promise<WebhooksSnapshot>;
}
