import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { notifierMetrics } from "../../services/notifier/consumer/notifier-metrics.ts";
import { observeOutcomes } from "../../services/registry/metrics/observe-outcomes.ts";
import { observeRelay } from "../../services/registry/metrics/observe-relay.ts";
import { observeSecrets } from "../../services/registry/metrics/observe-secrets.ts";
import { createSecretBox } from "../../services/registry/secrets/secret-box.ts";

const readme = readFileSync(fileURLToPath(new URL("../../services/README.md", import.meta.url)), "utf8");
const table = /^\| metric \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(readme)?.[1] ?? "";
const documented = (service: string) =>
  Array.from(table.matchAll(new RegExp(`^\\| \`(\\w+)\` \\| ${service} \\|`, "gm")), ([, name]) => name);

const namesIn = (metrics: Registry) => metrics.getMetricsAsArray().map(({ name }) => name);

test("every metric of the registry that tells of webhooks is explained, and no other", () => {
  const metrics = new Registry();
  observeRelay({ load: () => undefined, oldestAt: async () => undefined, clock: systemClock, metrics });
  observeOutcomes(metrics);
  observeSecrets(createSecretBox([new Uint8Array(32)]), pino({ level: "silent" }), metrics);
  expect(documented("registry").sort()).toEqual(namesIn(metrics).sort());
});

test("every metric of the notifier is explained, and no other", () => {
  const metrics = new Registry();
  notifierMetrics(metrics);
  expect(documented("notifier").sort()).toEqual(namesIn(metrics).sort());
});

test("every rule for Prometheus asks for a metric that is explained, and quarantined messages alert", () => {
  const file = new URL("../../deploy/alerts/webhooks.rules.yaml", import.meta.url);
  const rules = readFileSync(fileURLToPath(file), "utf8");
  const asked = Array.from(
    rules.matchAll(/expr: .*?\b((?:registry|notifier|webhook)_\w+)/g),
    ([, name]) => name,
  );
  expect(asked).toHaveLength(rules.match(/- alert: /g)?.length ?? 0);
  const known = new Set([...documented("registry"), ...documented("notifier")]);
  expect(asked.filter((name) => !known.has(name ?? ""))).toEqual([]);
  expect(asked).toContain("notifier_messages_quarantined_total");
});
