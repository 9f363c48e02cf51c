import { expect, test } from "vitest";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { namedValues, valueName } from "./named-values.ts";

test("names each value of an enum in lower case, except UNSPECIFIED and the values of a later contract", () => {
  expect(namedValues(IssueOutcome)).toEqual({ issued: 1, already_issued: 2, invalid: 3, sold_out: 4 });
  expect([0, 1, 2, 3, 4, 5, -1].map((value) => valueName(IssueOutcome, value))).toEqual([
    ...[undefined, "issued", "already_issued", "invalid", "sold_out"],
    ...[undefined, undefined],
  ]);
});
