import { isUnauthorized } from "../../../services/registry/mongo/driver/transient-error.ts";

interface MissingPrivilege {
  /** What the user is not permitted to do. */
  readonly privilege: string;
  /** The role that permits it. */
  readonly remedy: string;
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
export function missingPrivilege(error: unknown): MissingPrivilege {
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
