import { resultOf } from "../../../services/registry/diagnostics/check.ts";
import { abortReason, type Outcome } from "../runner/check.ts";
import { type DatabaseCheck, failed } from "./database-check.ts";
import { missingPrivilege } from "./missing-privilege.ts";
import type { DatabaseRig } from "./rig.ts";

type Progress = Pick<DatabaseRig, "signal" | "log">;

const marks = { passed: "ok     ", failed: "FAILED ", skipped: "skipped" } as const;

/** Runs the checks in order, prints each result as a line of a checklist, and reports the counts. */
export async function runChecks<Rig extends Progress>(
  rig: Rig,
  checks: readonly DatabaseCheck<Rig>[],
): Promise<Outcome> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const check of checks) {
    if (rig.signal.aborted) break;
    let { remedy } = check;
    const run = (subject: Rig) =>
      check.run(subject).catch((error: unknown) => {
        const missing = missingPrivilege(error);
        remedy = missing.remedy;
        return failed(missing.privilege);
      });
    const { result, seen } = await resultOf({ ...check, run }, rig);
    counts[result]++;
    rig.log(`${marks[result]} ${check.name}: ${seen}`);
    if (result === "failed") rig.log(`        ${remedy}`);
  }
  const done = counts.passed + counts.failed + counts.skipped;
  return {
    counts: { checks: done, failed: counts.failed, skipped: counts.skipped },
    passed: counts.failed === 0,
    endedEarly: done === checks.length ? undefined : abortReason(rig.signal),
  };
}
