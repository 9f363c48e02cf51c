import { MongoServerError } from "mongodb";
import { expect, test } from "vitest";
import { type CheckResult, type DatabaseCheck, failed, passed, passedUnless, skipped } from "./database-check.ts";
import { runChecks } from "./run-checks.ts";

function checkOf(name: string, run: () => Promise<CheckResult>): DatabaseCheck<unknown> {
  return { name, remedy: `Repair ${name}.`, run };
}

async function reportOn(checks: readonly DatabaseCheck<unknown>[], signal = new AbortController().signal) {
  const lines: string[] = [];
  const report = await runChecks({ signal, log: (line) => void lines.push(line) }, checks);
  return { json: report.counts, passed: report.passed, complete: report.endedEarly === undefined, lines };
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

test("names the privilege that the user lacks, and how to grant it", async () => {
  const denied = (message: string, code = 13) => Promise.reject(new MongoServerError({ message, code }));
  const report = await reportOn([
    checkOf("indexes", () => denied('not authorized on shop to execute command { collMod: "a", lsid: { id: 1 } }')),
    checkOf("election", () => denied("not authorized on admin to execute command { replSetStepDown: 20 }")),
    checkOf("Atlas", () => denied("user is not allowed to do action [insert] on [shop.a]", 8_000)),
  ]);
  const roles = (database: string) =>
    `        Grant the user the roles readWrite and dbAdmin on ${database}, or name with --database an empty database on which it has them.`;
  expect(report.lines).toEqual([
    "FAILED  indexes: the user is not permitted to run collMod on the database shop (code 13)",
    roles("the database shop"),
    "FAILED  election: the user is not permitted to run replSetStepDown on the database admin (code 13)",
    "        Grant the user the action replSetStateChange on the cluster (as in the role clusterManager), or omit --step-down.",
    "FAILED  Atlas: user is not allowed to do action [insert] on [shop.a]",
    roles("its database"),
  ]);
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
