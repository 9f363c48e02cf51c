/** `npm run bench`; options.ts lists its options. */
import { runProgram } from "../harness/program/run-program.ts";
import { benchCommand } from "./options.ts";
import { runBench } from "./run-bench.ts";

await runProgram(benchCommand, runBench);
