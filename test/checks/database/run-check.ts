import { startStackDatabase } from "../../harness/stack/start-servers.ts";
import { type Log, Supervisor } from "../../harness/supervisor/supervisor.ts";
import { runCheck } from "../runner/run-check.ts";
import { contractChecks } from "./contract-checks.ts";
import { expiryChecks } from "./expiry-checks.ts";
import { optionChecks } from "./option-checks.ts";
import { type DatabaseOptions, databaseCommand } from "./options.ts";
import { orphanChecks } from "./orphan-checks.ts";
import { planChecks } from "./plan-checks.ts";
import { openRig } from "./rig.ts";
import { runChecks } from "./run-checks.ts";
import { serverChecks } from "./server-checks.ts";
import { stepDownChecks } from "./step-down-checks.ts";

const checks = [
  ...[...serverChecks, ...optionChecks, ...contractChecks],
  ...[...planChecks, ...expiryChecks, ...orphanChecks, ...stepDownChecks],
];

/** Checks, with the registry's own code, that a MongoDB server behaves as the registry requires. */
export const runDatabaseCheck = () =>
  runCheck(databaseCommand, (options) => ({
    seed: options.seed,
    start: (signal, log) => openServer(options, signal, log),
    examine: async ({ uri }, signal, log) => {
      await using rig = await openRig(uri, options, signal, log);
      return await runChecks(rig, checks);
    },
  }));

/** Returns the server to check. Starts a server if the options contain no connection string. */
async function openServer({ uri, keep, noBuild }: DatabaseOptions, signal: AbortSignal, log: Log) {
  const supervisor = await Supervisor.open({ name: "check-database", keep, signal, log });
  try {
    const server = uri ?? (await startStackDatabase(supervisor, !noBuild)).url;
    return { uri: server, close: () => supervisor.close() };
  } catch (error) {
    await supervisor.close();
    throw error;
  }
}
