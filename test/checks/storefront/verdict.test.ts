import { expect, test } from "vitest";
import { judge } from "./verdict.ts";

const story = { orderId: 1, messages: [], validCount: 2 };
const valid = { orderId: "1", status: "active", eventCount: 1 };
const revoked = { orderId: "1", status: "revoked", eventCount: 2 };

test.each([
  ["nothing wrong", [valid, valid, revoked], { lost: 0, doubled: 0, events: 0 }],
  ["a lost certificate", [valid, revoked], { lost: 1, doubled: 0, events: 0 }],
  ["a doubled certificate", [valid, valid, valid], { lost: 0, doubled: 1, events: 0 }],
  ["a certificate with an event too many", [valid, { ...valid, eventCount: 2 }], { lost: 0, doubled: 0, events: 1 }],
])("finds %s", (_name, found, counts) => {
  expect(judge([story], found)).toMatchObject(counts);
});
