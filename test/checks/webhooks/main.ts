/** `npm run check:webhooks`; options.ts lists its options. */
import { runProgram } from "../../harness/program/run-program.ts";
import { webhooksCommand } from "./options.ts";
import { runWebhooksCheck } from "./run-check.ts";

await runProgram(webhooksCommand, runWebhooksCheck);
