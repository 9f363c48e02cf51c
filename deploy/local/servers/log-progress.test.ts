import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { logProgress } from "./log-progress.ts";

// Real time would make the tests depend on the load of the machine.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function startStep() {
  const lines: string[] = [];
  const work = Promise.withResolvers<string>();
  const step = { log: (line: string) => lines.push(line), what: "Downloading", usually: "a while" };
  return { lines, work, result: logProgress(step, () => work.promise) };
}

test("logs the start of a step with the usual duration, then its progress, then its end", async () => {
  const { lines, work, result } = startStep();
  vi.advanceTimersByTime(35_000);
  work.resolve("result");
  expect(await result).toBe("result");
  vi.advanceTimersByTime(35_000);
  expect(lines).toEqual([
    "Downloading (usually a while) …",
    ...[10, 20, 30].map((seconds) => `Downloading: still running after ${seconds} s …`),
    "Downloading: done after 35 s.",
  ]);
});

test("rethrows the error of a failed step and stops logging", async () => {
  const { lines, work, result } = startStep();
  work.reject(new Error("no way"));
  await expect(result).rejects.toThrow("no way");
  vi.advanceTimersByTime(35_000);
  expect(lines).toEqual(["Downloading (usually a while) …"]);
});
