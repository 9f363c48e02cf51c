import { expect, test } from "vitest";
import { cpuMsIn, cpuMsOf } from "./process-cpu.ts";

test("reads user and system time even if the program name contains spaces and parentheses", () => {
  const stat = "17 (a b) R 1 2) S 1 17 17 0 -1 4194560 900 0 3 0 250 31 0 0 20 0 11 0 100 0 0\n";
  expect(cpuMsIn(stat)).toBe(2_810);
});

test("returns NaN for a missing process", async () => {
  expect(await cpuMsOf(2 ** 30)).toBeNaN();
});

test.runIf(process.platform === "linux")("agrees with process.cpuUsage() within 100 ms", async () => {
  const { user, system } = process.cpuUsage();
  expect(Math.abs((await cpuMsOf(process.pid)) - (user + system) / 1_000)).toBeLessThan(100);
});
