/** `npm run check:fuzz`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { fuzzCheck } from "./check.ts";

await runCheck(fuzzCheck);
