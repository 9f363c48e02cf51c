/** The steps of an event on its way to the receiver, in their order. */
export const deliverySteps = [
  "before_claim",
  "after_claim",
  "connecting",
  "after_body",
  "after_reply",
  "before_outcome",
] as const;

/** A step of an event on its way to the receiver. `connecting`: TCP stands, TLS does not yet. */
export type DeliveryStep = (typeof deliverySteps)[number];

/** Told of each step when an event has come to it, before anything else happens. For checks that end the process there. */
export type OnStep = (step: DeliveryStep) => void;
