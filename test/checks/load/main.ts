/** `npm run check:load`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { loadCheck } from "./check.ts";

await runCheck(loadCheck);
