import { expect, test } from "vitest";
import { judge } from "./verdict.ts";

const stories = [{ validUnits: ["1/7/1", "1/7/2"] }, { validUnits: ["2/7/1"] }];
const valid = (unit: string) => ({ unit, status: "active", eventCount: 1 });
const revoked = (unit: string) => ({ unit, status: "revoked", eventCount: 2 });
const right = [valid("1/7/1"), valid("1/7/2"), revoked("1/7/3"), valid("2/7/1")];

test.each([
  ["nothing wrong", right, { lost: 0, doubled: 0, events: 0, findings: [] }],
  ["a lost certificate", right.slice(1), { lost: 1, doubled: 0, events: 0 }],
  ["a doubled certificate", [...right, valid("1/7/1")], { lost: 0, doubled: 1, events: 0 }],
  ["a certificate that should be revoked", [...right.slice(0, 2), valid("1/7/3"), valid("2/7/1")], { doubled: 1 }],
  ["a revoked certificate that was replaced", [...right, revoked("1/7/1")], { lost: 0, doubled: 1 }],
  ["a certificate of an unknown order", [...right, valid("3/7/1")], { lost: 0, doubled: 1 }],
  [
    "a lost and a doubled certificate of one order, which do not cancel each other out",
    [valid("1/7/1"), valid("1/7/1"), valid("2/7/1")],
    { lost: 1, doubled: 1 },
  ],
  [
    "the valid certificate of another unit of the order",
    [valid("1/7/1"), revoked("1/7/2"), valid("1/7/3"), valid("2/7/1")],
    { lost: 1, doubled: 1 },
  ],
  [
    "a certificate with one event too many",
    [...right.slice(1), { ...valid("1/7/1"), eventCount: 2 }],
    { lost: 0, doubled: 0, events: 1 },
  ],
])("finds %s", (_name, found, counts) => {
  const verdict = judge(stories, found);
  expect(verdict).toMatchObject(counts);
  expect(verdict.findings).toHaveLength(verdict.lost + verdict.doubled + verdict.events);
});
