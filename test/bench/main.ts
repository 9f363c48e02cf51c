/** `npm run bench`: see options.ts for what it can be asked for. */
import { runProgram } from "../checks/runner/run-program.ts";
import { parseBenchOptions, usage } from "./options.ts";
import { runBench } from "./run-bench.ts";

await runProgram({ usage, parse: parseBenchOptions, run: runBench });
