/** `npm run check:load`; options.ts lists its options. */
import { runLoadCheck } from "./run-check.ts";

await runLoadCheck();
