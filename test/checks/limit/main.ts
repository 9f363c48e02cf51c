/** `npm run check:limit`: see options.ts for what it can be asked for. */
import { runProgram } from "../runner/run-program.ts";
import { parseLimitOptions, usage } from "./options.ts";
import { runCheck } from "./run-check.ts";

await runProgram({ usage, parse: parseLimitOptions, run: runCheck });
