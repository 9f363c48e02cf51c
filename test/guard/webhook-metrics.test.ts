import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { observeBacklog } from "../../services/notifier/consumer/consumer-backlog.ts";
import { notifierMetrics } from "../../services/notifier/consumer/notifier-metrics.ts";
import { observeClockSkew } from "../../services/notifier/registry-client/observe-clock-skew.ts";
import { triggerMetrics } from "../../services/notifier/triggers/trigger-metrics.ts";
import { observeOutcomes, observeRefusals, observeRelay } from "../../services/registry/metrics/observe-relay.ts";
import { observeSecrets } from "../../services/registry/metrics/observe-secrets.ts";
import {
  countDisabledTriggers,
  observeAutomation,
  observeTriggers,
} from "../../services/registry/metrics/observe-triggers.ts";
import { createSecretBox } from "../../services/registry/secrets/secret-box.ts";
import { tableRows } from "./repository.ts";

/** Returns the names of a service's metrics in deploy/operations/metrics.md. */
const documented = (service: string) =>
  tableRows("deploy/operations/metrics.md", "metric").flatMap(([name, of]) => (of === service ? [name ?? ""] : []));

const idle = async () => ({ waitingCount: 0, oldestAt: undefined, disabledCount: 0 });

const namesIn = (metrics: Registry) => metrics.getMetricsAsArray().map(({ name }) => name);

test("deploy/operations/metrics.md lists exactly the registry's webhook, trigger and automation metrics", () => {
  const metrics = new Registry();
  const load = { partitionCount: 0, inFlightCount: 0, waitingStoreCount: 0 };
  observeRelay({
    load: () => load,
    isFirst: () => false,
    oldestAt: async () => undefined,
    clock: systemClock,
    metrics,
  });
  observeOutcomes(metrics);
  observeRefusals(metrics);
  observeTriggers({ load: idle, isLeading: () => false, clock: systemClock, metrics });
  countDisabledTriggers(metrics);
  observeAutomation({ oldestAt: async () => undefined, isLeading: () => false, clock: systemClock, metrics });
  observeSecrets(createSecretBox([new Uint8Array(32)]), pino({ level: "silent" }), metrics);
  expect(documented("registry").sort()).toEqual(namesIn(metrics).sort());
});

test("deploy/operations/metrics.md lists exactly the notifier's metrics", () => {
  const metrics = new Registry();
  notifierMetrics(metrics);
  triggerMetrics(metrics);
  observeBacklog(async () => undefined, metrics);
  observeClockSkew(metrics, systemClock);
  expect(documented("notifier").sort()).toEqual(namesIn(metrics).sort());
});
