import { expect, test } from "vitest";
import { failed, passed, skipped } from "./check.ts";
import { checksOf, diagnose } from "./diagnose.ts";

const check = (name: string, run: (subject: number) => Promise<ReturnType<typeof passed>>) => ({
  name,
  remedy: `Mend ${name}.`,
  run,
});
const never = { sleep: () => new Promise<void>(() => undefined) };

test("reports the results in the order of the checks, each with its part of the system; an error is a failure", async () => {
  const checks = checksOf(
    "database",
    [
      check("one", async (subject) => passed(`${subject}`)),
      check("two", () => Promise.reject(new Error("broken"))),
      check("three", async () => skipped("unknown")),
    ],
    () => 7,
  );
  const of = (name: string) => ({ part: "database", name, remedy: `Mend ${name}.` });
  expect(await diagnose(checks, never)).toEqual([
    { ...of("one"), ...passed("7") },
    { ...of("two"), ...failed("Error: broken") },
    { ...of("three"), ...skipped("unknown") },
  ]);
});

test("a check without an answer for four seconds fails, and its remedy is to make the server reachable", async () => {
  const hanging = check("hanging", () => new Promise(() => undefined));
  const sleeps: number[] = [];
  const clock = { sleep: async (ms: number) => void sleeps.push(ms) };
  const [finding] = await diagnose(
    checksOf("NATS", [hanging], () => 0),
    clock,
  );
  const remedy = "Check that NATS is running, and that the registry can reach it.";
  expect(finding).toMatchObject({ ...failed("no answer within 4 s"), remedy });
  expect(sleeps).toEqual([4_000]);
});
