/** Why a message was put back. */
export const nakCauses = [
  "registry_away",
  "in_flight",
  "secret_unreadable",
  "unrecorded",
  "overloaded",
  "stopping",
  "error",
] as const;

/** Why a message was put back. */
export type NakCause = (typeof nakCauses)[number];

/** What becomes of a message: settled, or put back to come again after some time. */
export type Disposition =
  | {
      readonly kind: "settled";
      /** How long the receiver held a slot, 0 where nothing was to be sent; undefined when it was settled before. */
      readonly deliveryMs?: number;
    }
  | { readonly kind: "nak"; readonly cause: NakCause; readonly delayMs: number };

/** The message was done before. */
export const settled: Disposition = { kind: "settled" };

/** The message is done, and its receiver held a slot for so long. */
export function settledAfter(deliveryMs: number): Disposition {
  return { kind: "settled", deliveryMs };
}

/** The message comes again, here or at another replica, not before so many milliseconds. */
export function nak(cause: NakCause, delayMs: number): Disposition {
  return { kind: "nak", cause, delayMs };
}
