import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { figuresOf } from "./figures.ts";
import { renderResults } from "./render-results.ts";
import { type RecordedRun, resultsSchema } from "./results-file.ts";

const fixture = new URL("../../fixtures/bench-results.json", import.meta.url);
const { runs } = resultsSchema.parse(JSON.parse(readFileSync(fixture, "utf8")));

test("renders a table per part and marks figures whose code has changed", () => {
  const text = renderResults(runs, (part, commit) => part === "changes" && commit === "abc1234");
  expect(text).toContain("## changes\n\n2026-05-01, commit abc1234, 2 cores (Test CPU), Node v24.0.0, mongod.");
  expect(text).toContain("\n\nAn idle machine.\n\n| figure |");
  const changed = "code changed since abc1234";
  expect(text).toContain(`| over_stores service | 1,234.57 1/s | 1,000 – 1,500 |  | ${changed} |`);
  expect(text).toContain(`| over_stores service ÷ transaction | 0.82 |  | ≥ 0.8 | ${changed} |`);
  expect(text).toContain("| admissions over the limit | 0 |  |  | current |");
});

test("rejects a table cell with more than 120 characters", () => {
  const figures = [{ name: "x".repeat(121), unit: "", median: 1 }];
  const long = runs.map((run): RecordedRun => ({ ...run, figures }));
  expect(() => renderResults(long, () => false)).toThrow("120 characters");
});

test("lists a finding's rates, ratios and other values, each with its unit and, if there is one, its aim", () => {
  const spread = { median: 0.81234, min: 0.7, max: 0.9 };
  const side = { perSecond: { median: 500.4, min: 400, max: 600 }, cpuMicrosPerUnit: {} };
  const finding = { title: "t", sides: { service: side }, shareOf: { transaction: spread } };
  const numbers = { since_answer_p99_ms: 12, stolen_percent: spread, cpu_micros_services: spread };
  expect(figuresOf("changes", { over_stores: { ...finding, numbers } })).toEqual([
    { name: "over_stores service", unit: "1/s", median: 500, min: 400, max: 600 },
    {
      name: "over_stores service ÷ transaction",
      unit: "ratio",
      median: 0.812,
      min: 0.7,
      max: 0.9,
      aim: "≥ 0.85",
    },
    { name: "over_stores since_answer_p99_ms", unit: "ms", median: 12 },
    { name: "over_stores stolen_percent", unit: "%", median: 0.812, min: 0.7, max: 0.9 },
    { name: "over_stores cpu_micros_services", unit: "µs", median: 0.812, min: 0.7, max: 0.9 },
  ]);
});
