/** `npm run check:limit`; options.ts lists its options. */
import { runLimitCheck } from "./run-check.ts";

await runLimitCheck();
