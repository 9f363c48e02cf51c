/** `npm run check:overload`; options.ts lists its options. */
import { runOverloadCheck } from "./run-check.ts";

await runOverloadCheck();
