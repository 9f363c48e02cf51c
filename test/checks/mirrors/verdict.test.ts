import { expect, test } from "vitest";
import { compareCopy } from "./verdict.ts";

const certificate = (id: string, status = "active") => ({ id, status });

test("finds what a copy lacks, what differs from the list, and what the list does not have", () => {
  const listed = [certificate("a"), certificate("b"), certificate("c")];
  expect(compareCopy(listed, listed.toReversed())).toEqual({ missing: [], different: [], phantom: [] });
  const copied = [certificate("d"), certificate("b", "revoked"), certificate("a")];
  expect(compareCopy(listed, copied)).toEqual({ missing: ["c"], different: ["b"], phantom: ["d"] });
});
