/** `npm run check:simulation`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { simulationCheck } from "./check.ts";

await runCheck(simulationCheck);
