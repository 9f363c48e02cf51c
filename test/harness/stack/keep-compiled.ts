import { flushCompileCache } from "node:module";

/**
 * Preloaded into services under test. Once the service has started, writes the code that Node has compiled to the
 * folder NODE_COMPILE_CACHE. Node itself writes it only at a regular exit, and most of these processes end by SIGKILL.
 */
const startedWithinMs = 5_000;
setTimeout(flushCompileCache, startedWithinMs).unref();
