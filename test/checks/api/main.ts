/** `npm run check:api`; run-check.ts lists its options. */
import { runApiCheck } from "./run-check.ts";

await runApiCheck();
