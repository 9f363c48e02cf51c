/** `npm run check:storefront`; check.ts describes the check. */
import { runCheck } from "../runner/check.ts";
import { storefrontCheck } from "./check.ts";

await runCheck(storefrontCheck);
