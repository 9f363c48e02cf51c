/** The result of one check, with the observation on which it is based. */
export interface CheckResult {
  readonly result: "passed" | "failed" | "skipped";
  /** The observation, or why the check was skipped: a phrase without a full stop. */
  readonly seen: string;
}

/** A condition that the registry relies on. */
export interface Check<Subject> {
  /** The condition that must be true. */
  readonly name: string;
  /** The action to take if the condition is false, in one or more sentences. */
  readonly remedy: string;
  /** Runs the check. A rejection counts as a failure. */
  run(subject: Subject): Promise<CheckResult>;
}

export function passed(seen: string): CheckResult {
  return { result: "passed", seen };
}

export function failed(seen: string): CheckResult {
  return { result: "failed", seen };
}

/** @param seen why the check could not be run */
export function skipped(seen: string): CheckResult {
  return { result: "skipped", seen };
}

/** Runs a check. @returns its result; a failed result with the error if the check throws */
export async function resultOf<Subject>(check: Check<Subject>, subject: Subject): Promise<CheckResult> {
  try {
    return await check.run(subject);
  } catch (error) {
    return failed(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }
}
