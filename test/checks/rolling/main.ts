/** `npm run check:rolling`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { rollingCheck } from "./check.ts";

await runCheck(rollingCheck);
