/** `npm run check:webhooks`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { webhooksCheck } from "./check.ts";

await runCheck(webhooksCheck);
