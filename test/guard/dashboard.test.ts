import { expect, test } from "vitest";
import { dashboardRows } from "../../deploy/dashboards/read-dashboard.ts";
import { lagSampleIntervalMs } from "../../services/shared/http/operations-server.ts";
import { textOf } from "./repository.ts";

const panels = dashboardRows.flatMap((row) => row.panels);
const dashboard = textOf("deploy/dashboards/certificate-registry.json");

test("every dashboard query is restricted to one installation", () => {
  const queries = [...dashboard.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, expr = ""]) => expr);
  expect(queries).toHaveLength(panels.flatMap(({ queries: own }) => own).length);
  for (const expr of queries) {
    expect(expr).toContain("{");
    expect(expr.match(/\{/g)?.length).toBe(expr.match(/\{installation=\\"\$installation\\"/g)?.length);
  }
});

test("every panel has a unique title, and a description that is a complete sentence", () => {
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  for (const { description } of panels) expect(description).toMatch(/^[A-Z].*\.$/);
});

test("every row and panel has an id and a place of its own", () => {
  for (const distinct of [/"id": \d+/g, /"gridPos": \{\s*"x": \d+,\s*"y": \d+/g]) {
    const found = dashboard.match(distinct) ?? [];
    expect(new Set(found).size).toBe(panels.length + dashboardRows.length);
    expect(found).toHaveLength(panels.length + dashboardRows.length);
  }
});

test("each objective's panels show its goal and the error budget at which its alerts fire", () => {
  const rules = textOf("deploy/alerts/objectives.rules.yaml");
  const goals = panels.filter(({ isStat }) => isStat);
  expect(goals).toHaveLength(3);
  for (const { description, limit = Number.NaN, queries } of goals) {
    const objective = /certificate_registry:(\w+)_errors:/.exec(queries[0]?.expr ?? "")?.[1];
    expect(description).toContain(`The goal is ${limit * 100} % over 30 days.`);
    const budget = Number((1 - limit).toPrecision(4));
    const errors = panels.find(({ title }) => title.toLowerCase() === `${objective?.replace("_", " ")}: error ratio`);
    expect(errors?.limit).toBe(budget);
    expect(rules).toContain(`certificate_registry:${objective}_errors:ratio_rate3d{installation=""} > ${budget} `);
  }
});

test("the event-loop delay is shown without the interval at which it is sampled", () => {
  const delay = panels.find(({ title }) => title.startsWith("Event-loop delay"));
  expect(delay?.queries[0]?.expr).toContain(`) - ${lagSampleIntervalMs / 1_000}, 0)`);
});
