import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type NakCause, nakCauses } from "./disposition.ts";

/** What the notifier counts. */
export interface NotifierMetrics {
  readonly messageTaken: () => void;
  readonly messageAnswered: () => void;
  readonly attemptStarted: () => void;
  readonly attemptEnded: (kind: OutcomeKind, durationMs: number) => void;
  readonly nak: (cause: NakCause) => void;
  readonly quarantined: () => void;
}

/** The outcome's name in logs and metrics: `delivered`, `refused`, … */
export function outcomeName(kind: OutcomeKind): string {
  return (OutcomeKind[kind] ?? "unknown").toLowerCase();
}

// Of what is skipped no attempt is made.
const noAttempt = [OutcomeKind.UNSPECIFIED, OutcomeKind.SKIPPED];
const attemptOutcomes = Object.values(OutcomeKind).filter(
  (kind): kind is OutcomeKind => typeof kind === "number" && !noAttempt.includes(kind),
);

/** Registers the notifier's metrics. */
export function notifierMetrics(registry: Registry): NotifierMetrics {
  const registers = [registry];
  const outcomes = new Counter({
    name: "webhook_attempts_total",
    help: "Delivery attempts, each a POST at the most, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "webhook_attempt_duration_seconds",
    help: "Time from the start of an attempt to the receiver's status or the failure.",
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
    registers,
  });
  const inFlight = new Gauge({
    name: "webhook_attempts_in_flight",
    help: "Delivery attempts under way.",
    registers,
  });
  const inHand = new Gauge({
    name: "notifier_messages_in_hand",
    help: "Messages that were pulled and are not answered yet: under way, or waiting for their store.",
    registers,
  });
  const naks = new Counter({
    name: "notifier_messages_nak_total",
    help: "Messages that were put back to come again, by cause.",
    labelNames: ["cause"],
    registers,
  });
  const quarantined = new Counter({
    name: "notifier_messages_quarantined_total",
    help: "Messages that were set aside because they hold no usable event. Any is worth an alert.",
    registers,
  });
  // From 0 on, so that a rate shows the first one.
  for (const kind of attemptOutcomes) outcomes.inc({ outcome: outcomeName(kind) }, 0);
  for (const cause of nakCauses) naks.inc({ cause }, 0);
  return {
    messageTaken: () => inHand.inc(),
    messageAnswered: () => inHand.dec(),
    attemptStarted: () => inFlight.inc(),
    attemptEnded: (kind, durationMs) => {
      inFlight.dec();
      outcomes.inc({ outcome: outcomeName(kind) });
      durations.observe(durationMs / 1_000);
    },
    nak: (cause) => naks.inc({ cause }),
    quarantined: () => quarantined.inc(),
  };
}
