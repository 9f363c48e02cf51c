import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { attemptOutcomes, outcomeName } from "../consumer/notifier-metrics.ts";

/** Records the metrics of attempts to send events to workflow triggers. */
export interface TriggerMetrics {
  readonly attemptStarted: () => void;
  readonly attemptEnded: (kind: OutcomeKind, durationMs: number) => void;
}

/** Registers the metrics with a Prometheus registry. */
export function triggerMetrics(registry: Registry): TriggerMetrics {
  const registers = [registry];
  const outcomes = new Counter({
    name: "trigger_attempts_total",
    help: "Attempts to send an event to a workflow trigger, by outcome. Most failed attempts are retried, so one event can have several attempts.",
    labelNames: ["outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "trigger_attempt_duration_seconds",
    help: "Duration of attempts to send an event to a workflow trigger, from the start to the receiver's status line or the failure.",
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
    registers,
  });
  const inFlight = new Gauge({
    name: "trigger_attempts_in_flight",
    help: "In-progress attempts to send an event to a workflow trigger.",
    registers,
  });
  for (const kind of attemptOutcomes) outcomes.inc({ outcome: outcomeName(kind) }, 0);
  return {
    attemptStarted: () => inFlight.inc(),
    attemptEnded: (kind, durationMs) => {
      inFlight.dec();
      outcomes.inc({ outcome: outcomeName(kind) });
      durations.observe(durationMs / 1_000);
    },
  };
}
