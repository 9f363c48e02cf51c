/** `npm run check:load`: see options.ts for what it can be asked for. */
import { runProgram } from "../runner/run-program.ts";
import { parseLoadOptions, usage } from "./options.ts";
import { runLoad } from "./run-load.ts";

await runProgram({ usage, parse: parseLoadOptions, run: runLoad });
