/** `npm run check:api`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { apiCheck } from "./check.ts";

await runCheck(apiCheck);
