import { expect, test } from "vitest";
import { cpuMsIn, cpuMsOf } from "./process-cpu.ts";

test("user and system time are read after a name that looks like fields", () => {
  const stat = "17 (a b) R 1 2) S 1 17 17 0 -1 4194560 900 0 3 0 250 31 0 0 20 0 11 0 100 0 0\n";
  expect(cpuMsIn(stat)).toBe(2_810);
});

test("a process that is not there has no time", async () => {
  expect(await cpuMsOf(2 ** 30)).toBeNaN();
});

test.runIf(process.platform === "linux")("this process has used what it says itself", async () => {
  const { user, system } = process.cpuUsage();
  expect(Math.abs((await cpuMsOf(process.pid)) - (user + system) / 1_000)).toBeLessThan(100);
});
