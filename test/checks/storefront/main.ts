/** `npm run check:storefront`; options.ts lists its options. */
import { runStorefrontCheck } from "./run-check.ts";

await runStorefrontCheck();
