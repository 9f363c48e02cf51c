import { channel } from "node:diagnostics_channel";

/** The steps from a message to the certificates of its order, in sequence. */
export const storefrontSteps = [
  "message_stored",
  "store_claimed",
  "orders_merged",
  "messages_settled",
  "order_planned",
  "order_committed",
  "orders_settled",
] as const;

export type StorefrontStep = (typeof storefrontSteps)[number];

/** Returns the name of the diagnostics channel on which a step is published. Subscribers receive no data. */
export function storefrontStepChannel(step: StorefrontStep): string {
  return `registry.storefront.${step}`;
}

const channels = new Map(storefrontSteps.map((step) => [step, channel(storefrontStepChannel(step))]));

/** Publishes that a step was reached. Subscribers run synchronously, before the work continues. */
export function publishStorefrontStep(step: StorefrontStep): void {
  channels.get(step)?.publish(undefined);
}
