/** `npm run check:database`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { databaseCheck } from "./check.ts";

await runCheck(databaseCheck);
