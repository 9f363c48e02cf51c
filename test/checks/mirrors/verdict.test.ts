import { expect, test } from "vitest";
import { compareCopy } from "./verdict.ts";

const certificate = (id: string, status = "active") => ({ id, status });

test("finds the certificates that are missing from a copy, differ from the list, or are not in the list", () => {
  const listed = [certificate("a"), certificate("b"), certificate("c")];
  expect(compareCopy(listed, listed.toReversed())).toEqual({ missing: [], different: [], phantom: [] });
  const copied = [certificate("d"), certificate("b", "revoked"), certificate("a")];
  expect(compareCopy(listed, copied)).toEqual({ missing: ["c"], different: ["b"], phantom: ["d"] });
});
