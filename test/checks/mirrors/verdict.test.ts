import { expect, test } from "vitest";
import { compareCopy } from "./verdict.ts";

const certificate = (id: string, status = "active") => ({ id, status });

test("finds the certificates that a copy lacks, that differ from the list, and that the list does not contain", () => {
  const listed = [certificate("a"), certificate("b"), certificate("c")];
  expect(compareCopy(listed, listed.toReversed())).toEqual({ missing: [], different: [], phantom: [] });
  const copied = [certificate("d"), certificate("b", "revoked"), certificate("a")];
  expect(compareCopy(listed, copied)).toEqual({ missing: ["c"], different: ["b"], phantom: ["d"] });
});
