/** `npm run check:rolling`; options.ts lists its options. */
import { runRollingCheck } from "./run-check.ts";

await runRollingCheck();
