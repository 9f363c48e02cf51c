import { Gauge, Histogram, type Registry } from "prom-client";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";

/** Returns the name of an outcome in logs and metrics: `delivered`, `refused`, … */
export function outcomeName(kind: OutcomeKind): string {
  return (OutcomeKind[kind] ?? "unknown").toLowerCase();
}

// A skipped event has no attempt.
const noAttempt = [OutcomeKind.UNSPECIFIED, OutcomeKind.SKIPPED];
/** The outcomes that an attempt can have. */
const attemptOutcomes = Object.values(OutcomeKind).filter(
  (kind): kind is OutcomeKind => typeof kind === "number" && !noAttempt.includes(kind),
);

interface AttemptMetricsOptions {
  /** The beginning of the metrics' names. */
  readonly prefix: string;
  readonly help: { readonly outcomes: string; readonly durations: string; readonly inFlight: string };
  /** Of the durations, in seconds. */
  readonly buckets: number[];
}

/** Records the attempts to send something to a receiver. */
export type AttemptMetrics = ReturnType<typeof attemptMetrics>;

/** Registers the metrics of attempts with a Prometheus registry. */
export function attemptMetrics(registry: Registry, { prefix, help, buckets }: AttemptMetricsOptions) {
  const registers = [registry];
  const countOutcome = createLabelledCounter(registry, {
    name: `${prefix}_attempts_total`,
    help: help.outcomes,
    label: "outcome",
    values: attemptOutcomes.map(outcomeName),
  });
  const durations = new Histogram({
    name: `${prefix}_attempt_duration_seconds`,
    help: help.durations,
    buckets,
    registers,
  });
  const inFlight = new Gauge({ name: `${prefix}_attempts_in_flight`, help: help.inFlight, registers });
  return {
    attemptStarted: () => inFlight.inc(),
    attemptEnded: (kind: OutcomeKind, durationMs: number) => {
      inFlight.dec();
      countOutcome(outcomeName(kind));
      durations.observe(durationMs / 1_000);
    },
  };
}
