/** `npm run check:fuzz`; options.ts lists its options. */
import { runFuzzCheck } from "./run-check.ts";

await runFuzzCheck();
