import { expect, test } from "vitest";
import { type CheckResult, type DatabaseCheck, failed, passed, passedUnless, skipped } from "./database-check.ts";
import { runChecks } from "./run-checks.ts";

function checkOf(name: string, run: () => Promise<CheckResult>): DatabaseCheck<unknown> {
  return { name, remedy: `Repair ${name}.`, run };
}

async function reportOn(checks: readonly DatabaseCheck<unknown>[], signal = new AbortController().signal) {
  const lines: string[] = [];
  const report = await runChecks({ signal, log: (line) => void lines.push(line) }, checks);
  return { ...report, json: JSON.parse(report.json), lines };
}

test("prints a remedy below each failed check, and fails the run", async () => {
  const report = await reportOn([
    checkOf("one", async () => passed("seen")),
    checkOf("two", async () => failed("0 instead of 1")),
    checkOf("three", async () => skipped("not supported")),
    checkOf("four", () => Promise.reject(new RangeError("broken"))),
  ]);
  expect(report.lines).toEqual([
    "ok      one: seen",
    "FAILED  two: 0 instead of 1",
    "        Repair two.",
    "skipped three: not supported",
    "FAILED  four: RangeError: broken",
    "        Repair four.",
  ]);
  expect(report).toMatchObject({ json: { checks: 4, failed: 2, skipped: 1 }, passed: false, complete: true });
});

test("passes if no check fails", async () => {
  const report = await reportOn([checkOf("one", async () => passedUnless([], "seen"))]);
  expect(report).toMatchObject({ json: { checks: 1, failed: 0, skipped: 0 }, passed: true, complete: true });
});

test("does not report a stopped run as complete", async () => {
  const report = await reportOn([checkOf("one", async () => passed("seen"))], AbortSignal.abort());
  expect(report).toMatchObject({ json: { checks: 0 }, complete: false });
});

test("passedUnless fails with the number of differences and the first difference", () => {
  expect(passedUnless(["a is 1", "b is 2"], "")).toEqual(failed("2 differences, the first: a is 1"));
});
