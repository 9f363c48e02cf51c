/** `npm run check:api`; options.ts lists its options. */
import { runProgram } from "../../harness/program/run-program.ts";
import { apiCommand } from "./options.ts";
import { runApiCheck } from "./run-check.ts";

await runProgram(apiCommand, runApiCheck);
