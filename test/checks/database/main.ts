/** `npm run check:database`; options.ts lists its options. */
import { runDatabaseCheck } from "./run-check.ts";

await runDatabaseCheck();
