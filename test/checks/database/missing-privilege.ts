import { isUnauthorized } from "../../../services/registry/mongo/driver/transient-error.ts";

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
export function missingPrivilege(error: unknown) {
  // The check of transactions wraps the driver's error.
  const denied = error instanceof Error && isUnauthorized(error.cause) ? error.cause : error;
  // Atlas uses its code 8000 for a wrong password, too.
  if (!isUnauthorized(denied) || /authentication failed/i.test(denied.message)) throw error;
  const [, database, command = ""] = serverMessage.exec(denied.message) ?? [];
  if (database === undefined) return { privilege: denied.message, remedy: grant("its database") };
  return {
    privilege: `the user is not permitted to run ${command} on the database ${database} (code ${denied.code})`,
    remedy: clusterCommands.get(command) ?? grant(`the database ${database}`),
  };
}

function grant(database: string): string {
  return `Grant the user the roles readWrite and dbAdmin on ${database}, or name with --database an empty database on which it has them.`;
}
