/** `npm run check:overload`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { overloadCheck } from "./check.ts";

await runCheck(overloadCheck);
