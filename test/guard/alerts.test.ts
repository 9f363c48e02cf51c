import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { files, textOf } from "./repository.ts";

const rule = z.object({
  alert: z.string().optional(),
  record: z.string().optional(),
  expr: z.string(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
});
const rulesFile = z.object({ groups: z.array(z.object({ rules: z.array(rule) })) });
const expectation = z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) });
const testFile = z.object({ tests: z.array(z.object({ alert_rule_test: z.array(expectation).default([]) })) });

const named = (end: string) => files.filter((file) => file.startsWith("deploy/alerts/") && file.endsWith(end));
const rules = named(".rules.yaml").flatMap((file) =>
  rulesFile.parse(parse(textOf(file))).groups.flatMap((group) => group.rules),
);
const namedRules = rules.map((one) => ({ ...one, name: one.alert ?? one.record }));
const alerts = rules.flatMap(({ alert, ...others }) => (alert === undefined ? [] : [{ alert, ...others }]));
const expectations = named(".test.yaml").flatMap((file) =>
  testFile.parse(parse(textOf(file))).tests.flatMap((unit) => unit.alert_rule_test),
);
const operations = files
  .filter((file) => file.startsWith("deploy/operations/"))
  .map(textOf)
  .join("\n");

test.each(["list_availability", "list_latency", "webhook_freshness"])(
  "the recorded error ratios of %s differ only in their windows, which are those that its alerts compare",
  (objective) => {
    const prefix = `certificate_registry:${objective}_errors:ratio_rate`;
    const recorded = rules.filter(({ record }) => record?.startsWith(prefix));
    const windows = recorded.map(({ record = "", expr }) => {
      const window = record.slice(prefix.length);
      expect(expr.replaceAll(`[${window}]`, "[window]")).toBe(recorded[0]?.expr.replaceAll("[5m]", "[window]"));
      return window;
    });
    const compared = alerts.flatMap(({ expr }) => [...expr.matchAll(new RegExp(`${prefix}(\\w+)`, "g"))]);
    expect(new Set(compared.map(([, window]) => window))).toEqual(new Set(windows));
    expect(windows).toHaveLength(7);
  },
);

test("each pair of windows in an alert compares both with the same multiple of the objective's budget", () => {
  const pairs = alerts.flatMap(({ expr }) => [
    ...expr.matchAll(/ratio_rate(\w+)\{[^}]*\} > ([\d.]+) and \S+ratio_rate(\w+)\{[^}]*\} > ([\d.]+)/g),
  ]);
  expect(pairs).toHaveLength(12);
  const factors: Readonly<Record<string, number>> = { "1h 5m": 14.4, "6h 30m": 6, "1d 2h": 3, "3d 6h": 1 };
  for (const [text, long, limit, short, shortLimit] of pairs) {
    expect(shortLimit, text).toBe(limit);
    const budget = Number(limit) / (factors[`${long} ${short}`] ?? Number.NaN);
    expect([0.001, 0.01], text).toContain(Number(budget.toPrecision(4)));
  }
});

test.each(namedRules)("every metric that $name queries is restricted to one installation", ({ expr }) => {
  const names =
    expr.match(/\b(?:edge|registry|notifier|webhook|trigger|tls|grpc|kube|certificate_registry:)\w*_\w+/g) ?? [];
  expect(names.length).toBeGreaterThan(0);
  expect(expr.match(/\{installation=""/g)).toHaveLength(names.length);
});

test.each(namedRules)("every metric that $name queries is described in deploy/operations", ({ expr }) => {
  const names = expr.match(/\b(?:edge|registry|notifier|webhook|trigger|tls|grpc|kube)_\w+(?=\{)/g) ?? [];
  const missing = names.filter((name) => !operations.includes(`\`${name.replace(/_(?:count|bucket)$/, "")}\``));
  expect(missing).toEqual([]);
});

describe.each(alerts)("$alert", ({ alert, labels, annotations }) => {
  test("has a severity, a summary and a description", () => {
    expect(labels.severity).toMatch(/^(warning|critical)$/);
    for (const text of [annotations.summary, annotations.description]) expect(text).toMatch(/^[A-Zn].*\.$/);
  });

  test("has a runbook section with a symptom, a check and a remedy", () => {
    const [page = "", anchor] = annotations.runbook_url?.split("#") ?? [];
    const sections = textOf(page).split(/^## /m).slice(1);
    const section = sections.find((text) => text.split("\n")[0]?.toLowerCase() === anchor) ?? "";
    expect(section).toContain(alert.replace(/Budget.*/, ""));
    expect(section.match(/^\*\*(Symptom|Check|Remedy)\.\*\*/gm)).toEqual(["**Symptom.**", "**Check.**", "**Remedy.**"]);
  });

  test("has unit tests in which it fires, and others in which it does not", () => {
    const own = expectations.filter(({ alertname }) => alertname === alert);
    expect(new Set(own.map(({ exp_alerts: fired }) => fired.length > 0))).toEqual(new Set([true, false]));
  });
});
