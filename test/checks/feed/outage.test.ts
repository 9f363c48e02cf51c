import { expect, test } from "vitest";
import { crashed, Outage } from "./outage.ts";

const outage = () =>
  new Outage({ stop: "true", start: "true", seconds: 1, share: () => 1, changes: () => 0, log: () => undefined });

test("accepts refusals with 503 and the crashes that clients simulate", () => {
  expect(outage().judge(["503", crashed])).toEqual([]);
});

test("finds other failures, and an outage that no client has noticed", () => {
  expect(outage().judge(["500", "TimeoutError", "503"])).toEqual([
    "a list request failed with 500, not 503",
    "a list request failed with TimeoutError, not 503",
  ]);
  expect(outage().judge([crashed])).toEqual(["no list request was refused, so there was no outage"]);
});
