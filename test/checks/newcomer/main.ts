/**
 * `npm run check:newcomer` follows a new user on a new machine: clones this checkout's last commit, runs `npm start`
 * with an empty cache of servers, uses what it prints, and stops it. Prints the seconds of each step, without judging
 * them, and fails with what was seen at the first step that fails. npm's own cache is used as it is; to begin without
 * it, set npm_config_cache to an empty folder. REGISTRY_DATABASE_SERVER selects a server as it does for `npm start`.
 */
import { exitOnSignals } from "../../../deploy/local/stack/exit-on-signals.ts";
import { runCheck } from "./run-check.ts";

// Exits explicitly, because handlers of signals keep the process alive.
process.exit(await runCheck(exitOnSignals()));
