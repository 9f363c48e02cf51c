/** `npm run check:mirrors`; options.ts lists its options. */
import { runMirrorsCheck } from "./run-check.ts";

await runMirrorsCheck();
