/** `npm run bench`; options.ts lists its options. */
import { runBench } from "./run-bench.ts";

await runBench();
