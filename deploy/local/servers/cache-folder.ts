import { homedir } from "node:os";
import { join } from "node:path";
import { setting } from "./setup-context.ts";

/** Returns the folder of installed servers, outside the checkout: `$XDG_CACHE_HOME/certificate-registry`, by default in `~/.cache`. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  return join(setting(env, "XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "certificate-registry");
}
