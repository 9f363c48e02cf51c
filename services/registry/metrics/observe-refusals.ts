import { Counter, type Registry } from "prom-client";
import { type RefusalReason, refusalReasons } from "../outbox/publish-refusal.ts";

/** Registers `registry_publishes_refused_total`. @returns a function to call each time NATS refuses an event */
export function observeRefusals(metrics: Registry): (reason: RefusalReason) => void {
  const refusals = new Counter({
    name: "registry_publishes_refused_total",
    help: "Events refused by NATS, by reason: too_large (quarantined) or not_permitted (retried later)",
    labelNames: ["reason"],
    registers: [metrics],
  });
  // Starts every series at 0, so that rate() includes the first increment.
  for (const reason of refusalReasons) refusals.inc({ reason }, 0);
  return (reason) => refusals.inc({ reason });
}
