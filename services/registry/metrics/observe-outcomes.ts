import type { Registry } from "prom-client";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import { outcomeKinds } from "../deliveries/delivery.ts";

/**
 * Creates a counter of delivery outcomes, including those that the registry itself stores, for interrupted and skipped
 * events.
 *
 * @returns a function to call with the kinds of newly recorded outcomes
 */
export function observeOutcomes(metrics: Registry): (kinds: readonly string[]) => void {
  const count = createLabelledCounter<string>(metrics, {
    name: "registry_webhook_outcomes_total",
    help: "Delivery outcomes recorded by this replica",
    label: "outcome",
    values: outcomeKinds,
  });
  return (kinds) => {
    for (const kind of kinds) count(kind);
  };
}
