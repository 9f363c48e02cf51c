import { Counter, type Registry } from "prom-client";
import { outcomeKinds } from "./deliveries/delivery.ts";

/**
 * Counts outcomes, those included of which no notifier knows: interrupted and skipped ones.
 *
 * @returns to be told of outcomes that were recorded for the first time
 */
export function observeOutcomes(metrics: Registry): (kinds: readonly string[]) => void {
  const outcomes = new Counter({
    name: "registry_webhook_outcomes_total",
    help: "Outcomes of deliveries that this replica recorded, each event's once.",
    labelNames: ["outcome"],
    registers: [metrics],
  });
  // From 0 on, so that a rate shows the first one.
  for (const outcome of outcomeKinds) outcomes.inc({ outcome }, 0);
  return (kinds) => {
    for (const outcome of kinds) outcomes.inc({ outcome });
  };
}
