import { type Check, type CheckResult, failed, passed, skipped } from "../../../services/registry/diagnostics/check.ts";
import type { DatabaseRig } from "./rig.ts";

export { type CheckResult, failed, passed, skipped };

/** A check whose result is one line of the checklist. */
export type DatabaseCheck<Rig = DatabaseRig> = Check<Rig>;

/**
 * Returns a failed result with the first difference, or a passed result if there is none.
 *
 * @param seen describes what was compared
 */
export function passedUnless(differences: readonly string[], seen: string): CheckResult {
  const [first] = differences;
  if (first === undefined) return passed(seen);
  return failed(`${differences.length} differences, the first: ${first}`);
}
