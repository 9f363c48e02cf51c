import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { ArrivalDelay } from "./arrival-delay.ts";
import { type NakCause, nakCauses } from "./disposition.ts";

/** Records the notifier's metrics. */
export interface NotifierMetrics {
  readonly messageStarted: () => void;
  readonly messageEnded: () => void;
  readonly attemptStarted: () => void;
  readonly attemptEnded: (kind: OutcomeKind, durationMs: number) => void;
  readonly arrived: (delay: ArrivalDelay) => void;
  readonly nak: (cause: NakCause) => void;
  readonly quarantined: () => void;
}

/** Returns the name of an outcome in logs and metrics: `delivered`, `refused`, … */
export function outcomeName(kind: OutcomeKind): string {
  return (OutcomeKind[kind] ?? "unknown").toLowerCase();
}

// A skipped event has no attempt.
const noAttempt = [OutcomeKind.UNSPECIFIED, OutcomeKind.SKIPPED];
/** The outcomes that an attempt can have. */
export const attemptOutcomes = Object.values(OutcomeKind).filter(
  (kind): kind is OutcomeKind => typeof kind === "number" && !noAttempt.includes(kind),
);

/** Registers the notifier's metrics with a Prometheus registry. */
export function notifierMetrics(registry: Registry): NotifierMetrics {
  const registers = [registry];
  const outcomes = new Counter({
    name: "webhook_attempts_total",
    help: "Delivery attempts by outcome. Each attempt sends at most one POST.",
    labelNames: ["outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "webhook_attempt_duration_seconds",
    help: "Duration of delivery attempts, from the start to the receiver's status line or the failure.",
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
    registers,
  });
  const arrivals = new Histogram({
    name: "webhook_arrival_delay_seconds",
    help: "Time from the commit of a change until its message was sent or the attempt failed. The receiver is labelled slow if the attempt took over 2 s; it then delays its own store's messages.",
    labelNames: ["receiver"],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600],
    registers,
  });
  const inFlight = new Gauge({
    name: "webhook_attempts_in_flight",
    help: "Delivery attempts in progress.",
    registers,
  });
  const inProgress = new Gauge({
    name: "notifier_messages_in_progress",
    help: "Messages received and not yet acknowledged or returned: being delivered, or waiting for a delivery slot.",
    registers,
  });
  const naks = new Counter({
    name: "notifier_messages_nak_total",
    help: "Messages returned to JetStream for redelivery, by cause.",
    labelNames: ["cause"],
    registers,
  });
  const quarantined = new Counter({
    name: "notifier_messages_quarantined_total",
    help: "Messages quarantined because they contain no valid event. Alert on any increase.",
    registers,
  });
  // Initialized to 0, so that rate() includes the first increase.
  for (const kind of attemptOutcomes) outcomes.inc({ outcome: outcomeName(kind) }, 0);
  for (const cause of nakCauses) naks.inc({ cause }, 0);
  for (const receiver of ["fast", "slow"] as const) arrivals.zero({ receiver });
  return {
    messageStarted: () => inProgress.inc(),
    messageEnded: () => inProgress.dec(),
    attemptStarted: () => inFlight.inc(),
    attemptEnded: (kind, durationMs) => {
      inFlight.dec();
      outcomes.inc({ outcome: outcomeName(kind) });
      durations.observe(durationMs / 1_000);
    },
    arrived: ({ delayMs, receiver }) => arrivals.observe({ receiver }, delayMs / 1_000),
    nak: (cause) => naks.inc({ cause }),
    quarantined: () => quarantined.inc(),
  };
}
