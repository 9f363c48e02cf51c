/** `npm run check:connector`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { connectorCheck } from "./check.ts";

await runCheck(connectorCheck);
