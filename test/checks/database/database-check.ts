import type { DatabaseRig } from "./rig.ts";

/** The result of one check, with the observation behind it. */
export interface CheckResult {
  readonly result: "passed" | "failed" | "skipped";
  /** The observation, or why the check was skipped: a phrase without a full stop. */
  readonly seen: string;
}

/** One line of the checklist. */
export interface DatabaseCheck<Rig = DatabaseRig> {
  /** The condition that must be true. */
  readonly name: string;
  /** What to do if the condition is false: a sentence. */
  readonly remedy: string;
  /** An error fails the check. */
  run(rig: Rig): Promise<CheckResult>;
}

export function passed(seen: string): CheckResult {
  return { result: "passed", seen };
}

export function failed(seen: string): CheckResult {
  return { result: "failed", seen };
}

/** @param seen why the check could not be made */
export function skipped(seen: string): CheckResult {
  return { result: "skipped", seen };
}

/** Passes if no difference was found. @param seen describes what was compared */
export function passedUnless(differences: readonly string[], seen: string): CheckResult {
  const [first] = differences;
  if (first === undefined) return passed(seen);
  return failed(`${differences.length} differences, the first: ${first}`);
}
