import { resultOf } from "../../../services/registry/diagnostics/check.ts";
import { isUnauthorized } from "../../../services/registry/mongo/driver/transient-error.ts";
import { abortReason, type Outcome } from "../runner/check.ts";
import { type DatabaseCheck, failed } from "./database-check.ts";
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

// Commands on the cluster that neither of the documented roles permits, with the remedy.
const clusterCommands = new Map([
  [
    "replSetStepDown",
    "Grant the user the action replSetStateChange on the cluster (as in the role clusterManager), or omit --step-down.",
  ],
]);
// MongoDB's own words; those of MongoDB Atlas (code 8000) differ and are shown as they are.
const serverMessage = /^not authorized on (\S+) to execute command \{ (\w+):/;

/** Returns the privilege that the database user lacks, and how to grant it; throws any other error again. */
function missingPrivilege(error: unknown) {
  if (!isUnauthorized(error)) throw error;
  const [, database, command = ""] = serverMessage.exec(error.message) ?? [];
  if (database === undefined) return { privilege: error.message, remedy: grant("its database") };
  return {
    privilege: `the user is not permitted to run ${command} on the database ${database} (code ${error.code})`,
    remedy: clusterCommands.get(command) ?? grant(`the database ${database}`),
  };
}

function grant(database: string): string {
  return `Grant the user the roles readWrite and dbAdmin on ${database}, or name with --database an empty database on which it has them.`;
}
