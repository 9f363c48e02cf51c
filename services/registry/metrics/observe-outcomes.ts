import { Counter, type Registry } from "prom-client";
import { outcomeKinds } from "../deliveries/delivery.ts";

/**
 * Creates a counter of delivery outcomes, including those that the registry itself stores, for interrupted and skipped
 * events.
 *
 * @returns a function to call with the kinds of newly recorded outcomes
 */
export function observeOutcomes(metrics: Registry): (kinds: readonly string[]) => void {
  const outcomes = new Counter({
    name: "registry_webhook_outcomes_total",
    help: "Delivery outcomes recorded by this replica",
    labelNames: ["outcome"],
    registers: [metrics],
  });
  // Starts every series at 0, so that rate() includes the first increment.
  for (const outcome of outcomeKinds) outcomes.inc({ outcome }, 0);
  return (kinds) => {
    for (const outcome of kinds) outcomes.inc({ outcome });
  };
}
