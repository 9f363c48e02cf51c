import { channel } from "node:diagnostics_channel";

/** The steps of a delivery, in order. At `connecting`, TCP is connected but the TLS handshake has not begun. */
export const deliverySteps = [
  "before_claim",
  "after_claim",
  "connecting",
  "after_body",
  "after_reply",
  "before_outcome",
] as const;

export type DeliveryStep = (typeof deliverySteps)[number];

/**
 * The additional steps of an attempt for a workflow trigger, in order. The {@link deliverySteps} from `connecting` to
 * `after_reply` come between the last two.
 */
export const triggerSteps = ["before_trigger_claim", "after_trigger_claim", "before_trigger_outcome"] as const;

export type TriggerStep = (typeof triggerSteps)[number];

/** Returns the name of the diagnostics channel on which a step is published. The messages carry no data. */
export function deliveryStepChannel(step: DeliveryStep | TriggerStep): string {
  return `notifier.${step}`;
}

// Looking up the channels by name would cost 0.5% of a delivery's CPU time.
const channels = new Map([...deliverySteps, ...triggerSteps].map((step) => [step, channel(deliveryStepChannel(step))]));

/** Publishes that a delivery has reached a step. Subscribers run synchronously, before the delivery continues. */
export function publishDeliveryStep(step: DeliveryStep | TriggerStep): void {
  channels.get(step)?.publish(undefined);
}
