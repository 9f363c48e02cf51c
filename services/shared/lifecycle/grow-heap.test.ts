import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { heapGrowth } from "./grow-heap.ts";

test("the heap's option exists in this version of Node", () => {
  const [name = ""] = heapGrowth.split("=");
  expect(execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })).toContain(`\n  ${name} `);
});
