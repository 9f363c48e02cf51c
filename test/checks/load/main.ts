/** `npm run check:load`; options.ts lists its options. */
import { runProgram } from "../../harness/program/run-program.ts";
import { loadCommand } from "./options.ts";
import { runLoadCheck } from "./run-check.ts";

await runProgram(loadCommand, runLoadCheck);
