import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { logProgress } from "./log-progress.ts";

test("logs the start of a step with its usual duration, its progress and its end", async () => {
  // Real time would make the test depend on the load of the machine.
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const options = {
    log: (line: string) => lines.push(line),
    what: "Download",
    usually: "a while",
    everyMs: 2_000,
  };
  const work = Promise.withResolvers<string>();
  const result = logProgress(options, () => work.promise);
  vi.advanceTimersByTime(7_000);
  work.resolve("result");
  expect(await result).toBe("result");
  vi.advanceTimersByTime(7_000);
  expect(lines).toEqual([
    "Download (usually a while) …",
    ...[2, 4, 6].map((seconds) => `Download: still running after ${seconds} s …`),
    "Download: done after 7 s.",
  ]);
});

test("rethrows the error of a failed step and logs nothing more", async () => {
  const lines: string[] = [];
  const options = {
    log: (line: string) => lines.push(line),
    what: "Download",
    usually: "a while",
    everyMs: 5,
  };
  await expect(logProgress(options, () => Promise.reject(new Error("no way")))).rejects.toThrow("no way");
  await delay(20);
  expect(lines).toEqual(["Download (usually a while) …"]);
});
