import { flushCompileCache } from "node:module";

/**
 * Preloaded into services under test. After the time that a service needs to start, writes the compile cache to the
 * folder NODE_COMPILE_CACHE. Node itself writes it only on a regular exit, and SIGKILL ends most of these processes.
 */
const startedWithinMs = 5_000;
setTimeout(flushCompileCache, startedWithinMs).unref();
