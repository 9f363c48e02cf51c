import { expect, test } from "vitest";
import { grafanaDashboard } from "../../deploy/dashboards/grafana-dashboard.ts";
import { rows } from "../../deploy/dashboards/rows.ts";
import { textOf } from "./repository.ts";

const panels = rows.flatMap((row) => row.panels);

test("deploy/dashboards/certificate-registry.json matches the output of npm run generate", () => {
  expect(textOf("deploy/dashboards/certificate-registry.json")).toBe(grafanaDashboard());
});

test("every dashboard query is restricted to one installation", () => {
  const queries = [...grafanaDashboard().matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, expr = ""]) => expr);
  expect(queries).toHaveLength(panels.flatMap(({ queries: own }) => own).length);
  for (const expr of queries)
    expect(expr.match(/\{/g)?.length).toBe(expr.match(/\{installation=\\"\$installation\\"/g)?.length);
});

test("every panel has a unique title, and a description that is a complete sentence", () => {
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  for (const { description } of panels) expect(description).toMatch(/^[A-Z].*\.$/);
});
