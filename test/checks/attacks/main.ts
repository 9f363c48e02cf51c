/** `npm run check:attacks`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { attacksCheck } from "./check.ts";

await runCheck(attacksCheck);
