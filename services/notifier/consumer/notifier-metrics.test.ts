import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { notifierMetrics } from "./notifier-metrics.ts";

async function valuesOf(metrics: Registry, name: string, label: string) {
  const found = (await metrics.getMetricsAsJSON()).find((metric) => metric.name === name);
  return Object.fromEntries((found?.values ?? []).map(({ labels, value }) => [labels[label], value]));
}

test("initializes the counters of all attempt outcomes and all nak causes to 0", async () => {
  const registry = new Registry();
  const metrics = notifierMetrics(registry);
  const outcomes = {
    delivered: 0,
    refused: 0,
    redirected: 0,
    timeout: 0,
    connection_failed: 0,
    tls_failed: 0,
    protocol_error: 0,
    blocked: 0,
    interrupted: 0,
  };
  expect(await valuesOf(registry, "webhook_attempts_total", "outcome")).toEqual(outcomes);
  expect(await valuesOf(registry, "notifier_messages_nak_total", "cause")).toEqual({
    registry_unavailable: 0,
    in_flight: 0,
    secret_unreadable: 0,
    unknown_type: 0,
    unrecorded: 0,
    overloaded: 0,
    stopping: 0,
    error: 0,
  });
  metrics.attemptEnded(OutcomeKind.TIMEOUT, 8_000);
  expect(await valuesOf(registry, "webhook_attempts_total", "outcome")).toEqual({ ...outcomes, timeout: 1 });
});

test("records arrival delays in separate series for fast and slow receivers, which both start at 0", async () => {
  const registry = new Registry();
  const metrics = notifierMetrics(registry);
  const counts = async () => {
    const lines = (await registry.metrics()).matchAll(/webhook_arrival_delay_seconds_count\{receiver="(\w+)"\} (\d+)/g);
    return Object.fromEntries(Array.from(lines, ([, receiver, count]) => [receiver, Number(count)]));
  };
  expect(await counts()).toEqual({ fast: 0, slow: 0 });
  metrics.arrived({ delayMs: 90, receiver: "fast" });
  expect(await counts()).toEqual({ fast: 1, slow: 0 });
});
