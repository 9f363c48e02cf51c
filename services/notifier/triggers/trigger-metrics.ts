import type { Registry } from "prom-client";
import { type AttemptMetrics, attemptMetrics } from "../attempt-metrics.ts";

/** Registers the metrics of attempts to send events to workflow triggers with a Prometheus registry. */
export function triggerMetrics(registry: Registry): AttemptMetrics {
  return attemptMetrics(registry, {
    prefix: "trigger",
    help: {
      outcomes:
        "Attempts to send an event to a workflow trigger, by outcome. Most failed attempts are retried, so one event can have several attempts.",
      durations:
        "Duration of attempts to send an event to a workflow trigger, from the start to the receiver's status line or the failure.",
      inFlight: "In-progress attempts to send an event to a workflow trigger.",
    },
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
  });
}
