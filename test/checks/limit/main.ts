/** `npm run check:limit`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { limitCheck } from "./check.ts";

await runCheck(limitCheck);
