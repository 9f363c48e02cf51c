import { expect, test } from "vitest";
import { exitCodeOf } from "./run-check.ts";

test.each([
  ["0 for a complete run without faults", true, undefined, 0],
  ["2 for a run that ended early without faults", true, false, 2],
  ["1 for faults", false, true, 1],
  ["1 for faults in a run that ended early", false, false, 1],
])("returns the exit code %s", (_, passed, complete, code) => {
  expect(exitCodeOf(complete === undefined ? { passed } : { passed, complete })).toBe(code);
});
