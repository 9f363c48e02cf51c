/** `npm run check:stalls`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { stallsCheck } from "./check.ts";

await runCheck(stallsCheck);
