/**
 * The reasons for a negative acknowledgement; also the values of the label `cause` of the metric
 * `notifier_messages_nak_total`.
 */
export const nakCauses = [
  "registry_unavailable",
  "in_flight",
  "secret_unreadable",
  "unknown_type",
  "unrecorded",
  "overloaded",
  "stopping",
  "error",
] as const;

type NakCause = (typeof nakCauses)[number];

/** How a message is answered: acknowledged, or returned to JetStream for redelivery. */
export type Disposition =
  | {
      readonly kind: "ack";
      /** Duration of the delivery; absent if there was none. */
      readonly deliveryMs?: number;
      /** Set if the event has just been settled as skipped. */
      readonly isSkipped?: true;
    }
  | { readonly kind: "nak"; readonly cause: NakCause; readonly delayMs: number };

/** Acknowledges a message whose event was settled earlier. */
export const ack: Disposition = { kind: "ack" };

/** Acknowledges a message whose event has just been skipped. */
export const ackSkipped: Disposition = { kind: "ack", isSkipped: true };

/** Acknowledges a message whose delivery took `deliveryMs`. */
export function ackAfter(deliveryMs: number): Disposition {
  return { kind: "ack", deliveryMs };
}

/** Requests redelivery, to this or another replica, after at least `delayMs`. */
export function nak(cause: NakCause, delayMs: number): Disposition {
  return { kind: "nak", cause, delayMs };
}
