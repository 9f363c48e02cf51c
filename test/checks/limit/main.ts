/** `npm run check:limit`; options.ts lists its options. */
import { runProgram } from "../../harness/program/run-program.ts";
import { limitCommand } from "./options.ts";
import { runLimitCheck } from "./run-check.ts";

await runProgram(limitCommand, runLimitCheck);
