import { flushCompileCache } from "node:module";

/**
 * Preloaded into services under test. Writes the code that Node has compiled to NODE_COMPILE_CACHE once the service has
 * started. Node itself writes it only at a regular exit, and these processes mostly end by SIGKILL.
 */
const startedWithinMs = 5_000;
setTimeout(flushCompileCache, startedWithinMs).unref();
