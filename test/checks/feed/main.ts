/** `npm run check:feed`; options.ts lists its options. */
import { runFeedCheck } from "./run-check.ts";

await runFeedCheck();
