import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import { attemptMetrics } from "../attempt-metrics.ts";
import type { ArrivalDelay } from "./arrival-delay.ts";
import { nakCauses } from "./disposition.ts";

/** Records the notifier's metrics. */
export type NotifierMetrics = ReturnType<typeof notifierMetrics>;

/** Registers the notifier's metrics with a Prometheus registry. */
export function notifierMetrics(registry: Registry) {
  const registers = [registry];
  const attempts = attemptMetrics(registry, {
    prefix: "webhook",
    help: {
      outcomes: "Delivery attempts by outcome. Each attempt sends at most one POST.",
      durations: "Duration of delivery attempts, from the start to the receiver's status line or the failure.",
      inFlight: "Delivery attempts in progress.",
    },
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
  });
  const arrivals = new Histogram({
    name: "webhook_arrival_delay_seconds",
    help: "Time from the commit of a change until its message was sent or the attempt failed. The receiver is labelled slow if the attempt took over 2 s; it then delays its own store's messages.",
    labelNames: ["receiver"],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600],
    registers,
  });
  const inProgress = new Gauge({
    name: "notifier_messages_in_progress",
    help: "Messages received and not yet acknowledged or returned: being delivered, or waiting for a delivery slot.",
    registers,
  });
  const nak = createLabelledCounter(registry, {
    name: "notifier_messages_nak_total",
    help: "Messages returned to JetStream for redelivery, by cause.",
    label: "cause",
    values: nakCauses,
  });
  const quarantined = new Counter({
    name: "notifier_messages_quarantined_total",
    help: "Messages quarantined because they contain no valid event. Alert on any increase.",
    registers,
  });
  // Initialized to 0, so that rate() includes the first increase.
  for (const receiver of ["fast", "slow"] as const) arrivals.zero({ receiver });
  return {
    messageStarted: () => inProgress.inc(),
    messageEnded: () => inProgress.dec(),
    ...attempts,
    arrived: ({ delayMs, receiver }: ArrivalDelay) => arrivals.observe({ receiver }, delayMs / 1_000),
    nak,
    quarantined: () => quarantined.inc(),
  };
}
