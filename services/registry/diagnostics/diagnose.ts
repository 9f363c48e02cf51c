import type { Clock } from "#shared/time/clock.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";
import { type Check, type CheckResult, failed, resultOf } from "./check.ts";

/** A check of one part of the system. */
export interface PartCheck extends Check<void> {
  /** `database`, `NATS` or `registry`. */
  readonly part: string;
}

/** The result of a {@link PartCheck}. */
export interface Finding extends CheckResult, Pick<PartCheck, "part" | "name" | "remedy"> {}

// Shorter than the driver's wait for a server, after which each database check would fail with the driver's error.
const withinMs = 4_000;
const noAnswer = failed(`no answer within ${withinMs / 1_000} s`);
const reachable = (part: string) =>
  `Check that ${part === "NATS" ? "NATS" : "the database"} is running, and that the registry can reach it.`;

/** Assigns checks to a part of the system. @param subject returns the object that the checks examine */
export function checksOf<Subject>(
  part: string,
  checks: readonly Check<Subject>[],
  subject: () => Subject,
): readonly PartCheck[] {
  return checks.map(({ name, remedy, run }) => ({ part, name, remedy, run: () => run(subject()) }));
}

/** Runs all checks at the same time. A check without a result after four seconds fails. */
export function diagnose(checks: readonly PartCheck[], clock: Pick<Clock, "sleep">): Promise<readonly Finding[]> {
  return Promise.all(
    checks.map(async (check) => {
      const { part, name, remedy } = check;
      const result = await waitAtMost(resultOf(check, undefined), withinMs, clock);
      return { part, name, remedy: result === undefined ? reachable(part) : remedy, ...(result ?? noAnswer) };
    }),
  );
}
