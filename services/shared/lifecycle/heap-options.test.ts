import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { heapGrowth, youngGeneration } from "./heap-options.ts";

test.each([heapGrowth, youngGeneration])("this version of Node has the V8 option %s", (option) => {
  const [name = ""] = option.split("=");
  expect(execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })).toContain(`\n  ${name} `);
});
