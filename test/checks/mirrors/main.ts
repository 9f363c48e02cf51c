/** `npm run check:mirrors`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { mirrorsCheck } from "./check.ts";

await runCheck(mirrorsCheck);
