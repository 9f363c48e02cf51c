import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { heapGrowth } from "./grow-heap.ts";

test("this version of Node has the V8 option for heap growth", () => {
  const [name = ""] = heapGrowth.split("=");
  expect(execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })).toContain(`\n  ${name} `);
});
