import { startStackDatabase } from "../../harness/stack/start-servers.ts";
import { Supervisor } from "../../harness/supervisor/supervisor.ts";
import { defineCheck } from "../runner/check.ts";
import { contractChecks } from "./contract-checks.ts";
import { expiryChecks } from "./expiry-checks.ts";
import { databaseOptions } from "./options.ts";
import { orphanChecks } from "./orphan-checks.ts";
import { planChecks } from "./plan-checks.ts";
import { openRig } from "./rig.ts";
import { runChecks } from "./run-checks.ts";
import { optionChecks, serverChecks } from "./server-checks.ts";
import { stepDownChecks } from "./step-down-checks.ts";

const checks = [
  ...[...serverChecks, ...optionChecks, ...contractChecks],
  ...[...planChecks, ...expiryChecks, ...orphanChecks, ...stepDownChecks],
];

/** `npm run check:database` checks, with the registry's own code, that a MongoDB server behaves as it requires. */
export const databaseCheck = defineCheck({
  name: "database",
  options: databaseOptions,
  notes: {
    after: `Without --uri, the command starts the database server that npm start uses. It creates the database
certificate_registry_check_<random> and drops it at the end; it does not read or change other databases. If the user has
the roles readWrite and dbAdmin on one database only, name this database with --database before the registry uses it:
the command refuses a database that contains collections. --step-down also needs the action replSetStateChange on the
cluster.

The last line of the output counts all, failed and skipped checks. The command fails if a check fails.`,
  },
  // Starts a server if the options contain no connection string.
  start: async ({ options: { uri, keep, noBuild }, signal, log, onClose }) => {
    if (uri !== undefined) return uri;
    const supervisor = await Supervisor.open({ name: "check-database", keep, signal, log });
    onClose(() => supervisor.close());
    return (await startStackDatabase(supervisor, !noBuild)).url;
  },
  examine: async (uri, { options, signal, log }) => {
    await using rig = await openRig(uri, options, signal, log);
    return await runChecks(rig, checks);
  },
});
