import { expect, test } from "vitest";
import { dottedFigures, headlines } from "./dotted-figures.ts";
import { partNames } from "./options.ts";

const spread = { median: 0.5, min: 0.4, max: 0.6 };
const list = {
  page_50: {
    title: "t",
    sides: { service: { perSecond: spread, cpuMicrosPerUnit: { edge: 200 } } },
    shareOf: { bare: spread },
    numbers: { cpu_ratio: spread },
  },
  latency: { title: "t", sides: {}, shareOf: {}, numbers: { p99_ratio: 1.5 } },
};

test("names each figure after its part, finding and measure, and adds its range", () => {
  expect(dottedFigures({ list })).toMatchObject({
    "list.page_50.service_per_second": 0.5,
    "list.page_50.service_per_second.max": 0.6,
    "list.page_50.service_cpu_micros_edge": 200,
    "list.page_50.rate_ratio_bare.min": 0.4,
    "list.page_50.cpu_ratio": 0.5,
    "list.latency.p99_ratio": 1.5,
  });
});

test("lists the short names first, and only those whose figures were measured", () => {
  const figures = dottedFigures({ list });
  expect(Object.keys(figures).slice(0, 3)).toEqual(["list.cpu_ratio", "list.cpu_ratio.min", "list.cpu_ratio.max"]);
  expect(figures).toMatchObject({ "list.cpu_ratio": 0.5, "list.rate_ratio": 0.5, "list.p99_ratio": 1.5 });
  expect(Object.keys(figures).filter((name) => name.startsWith("sync"))).toEqual([]);
});

test("has a short name for at least one figure of every part", () => {
  const parts = Object.entries(headlines).map(([short, full]) => [short, full].map((name) => name.split(".")[0]));
  expect(parts.every(([short, full]) => short === full)).toBe(true);
  expect(new Set(parts.map(([part]) => part))).toEqual(new Set(partNames));
});
