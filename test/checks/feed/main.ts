/** `npm run check:feed`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { feedCheck } from "./check.ts";

await runCheck(feedCheck);
