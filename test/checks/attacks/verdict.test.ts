import { expect, test } from "vitest";
import { findingsOf, type Observations } from "./verdict.ts";

const peak = { mebibytes: 300, turnCpuMs: 150, turnMs: 900 };
const good: Observations = {
  peaks: new Map([["edge", peak]]),
  windows: [1, 1.2, 9].map((ratio) => ({ quietP99Ms: 10, attackedP99Ms: 10 * ratio })),
  failures: [],
};

test("accepts services within their limits, turns that other programs made long, and one slow window", () => {
  expect(findingsOf(good)).toEqual([]);
});

test("does not judge the latency of a run without quiet windows", () => {
  expect(findingsOf({ ...good, windows: undefined })).toEqual([]);
});

test.each<[string, Partial<Observations>, string]>([
  ["memory", { peaks: new Map([["edge", { ...peak, mebibytes: 512 }]]) }, "edge used 512 MiB"],
  ["unknown memory", { peaks: new Map([["edge", { ...peak, mebibytes: Number.NaN }]]) }, "edge used NaN MiB"],
  ["a blocked event loop", { peaks: new Map([["edge", { ...peak, turnCpuMs: 201 }]]) }, "used 201 ms of CPU time"],
  ["slower good stores", { windows: [{ quietP99Ms: 10, attackedP99Ms: 15 }] }, "1.50-fold"],
  ["no windows", { windows: [] }, "NaN-fold"],
  ["a failure", { failures: ["POST /x: 500"] }, "POST /x: 500"],
])("reports %s", (_what, change, finding) => {
  expect(findingsOf({ ...good, ...change }).join()).toContain(finding);
});
