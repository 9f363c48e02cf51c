/** `npm run check:feed`; options.ts lists its options. */
import { runProgram } from "../../harness/program/run-program.ts";
import { feedCommand } from "./options.ts";
import { runFeedCheck } from "./run-check.ts";

await runProgram(feedCommand, runFeedCheck);
