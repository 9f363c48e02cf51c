/** `npm run check:alerts`: tests the alerting rules with promtool; run-check.ts lists what is checked. */
import { runAlertCheck } from "./run-check.ts";

process.exitCode = await runAlertCheck();
