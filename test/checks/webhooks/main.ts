/** `npm run check:webhooks`; options.ts lists its options. */
import { runWebhooksCheck } from "./run-check.ts";

await runWebhooksCheck();
