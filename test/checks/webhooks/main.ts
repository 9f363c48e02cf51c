/** `npm run check:webhooks`: see options.ts for what it can be asked for. */
import { runProgram } from "../runner/run-program.ts";
import { parseCheckOptions, usage } from "./options.ts";
import { runCheck } from "./run-check.ts";

await runProgram({ usage, parse: parseCheckOptions, run: runCheck });
