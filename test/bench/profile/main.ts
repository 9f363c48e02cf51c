/** `npm run profile -- <path>`; options.ts lists the paths and options. */
import { runProfile } from "./run-profile.ts";

await runProfile();
