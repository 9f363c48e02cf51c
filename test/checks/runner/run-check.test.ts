import { expect, test } from "vitest";
import { exitCodeOf } from "./check.ts";

const zero = { lost: "changes that were lost" };

test.each([
  ["0 for a complete run without faults", { lost: 0 }, true, undefined, 0],
  ["2 for a run that ended early without faults", { lost: 0 }, true, "stopped", 2],
  ["1 for faults", { lost: 0 }, false, undefined, 1],
  ["1 for faults in a run that ended early", { lost: 0 }, false, "stopped", 1],
  ["1 for a count that must be 0", { lost: 1 }, true, undefined, 1],
])("returns the exit code %s", (_, counts, passed, endedEarly, code) => {
  expect(exitCodeOf(zero, { counts, passed, endedEarly })).toBe(code);
});
