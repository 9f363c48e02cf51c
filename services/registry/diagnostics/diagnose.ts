import type { Clock } from "#shared/time/clock.ts";
import { type Check, type CheckResult, failed } from "./check.ts";

/** A check of one part of the system. */
export interface PartCheck extends Check<void> {
  /** `database`, `NATS` or `registry`. */
  readonly part: string;
}

/** The result of a {@link PartCheck}. */
export interface Finding extends CheckResult, Pick<PartCheck, "part" | "name" | "remedy"> {}

const withinMs = 5_000;

/** Assigns checks to a part of the system. @param subject returns the object that the checks examine */
export function checksOf<Subject>(
  part: string,
  checks: readonly Check<Subject>[],
  subject: () => Subject,
): readonly PartCheck[] {
  return checks.map(({ name, remedy, run }) => ({ part, name, remedy, run: () => run(subject()) }));
}

/** Runs all checks at the same time. A check without a result after five seconds fails. */
export async function diagnose(checks: readonly PartCheck[], clock: Pick<Clock, "sleep">): Promise<readonly Finding[]> {
  const done = new AbortController();
  const late = clock.sleep(withinMs, done.signal).then(() => failed(`no answer within ${withinMs / 1_000} s`));
  const findings = await Promise.all(
    checks.map(async ({ part, name, remedy, run }) => {
      const failure = (error: unknown) => failed(error instanceof Error ? error.message : String(error));
      return { part, name, remedy, ...(await Promise.race([run().catch(failure), late])) };
    }),
  );
  done.abort();
  return findings;
}
