import { flushCompileCache } from "node:module";

/**
 * Preloaded into services under test. After the time that a service needs to start, writes the compile cache to its
 * folder (NODE_COMPILE_CACHE). Node itself writes the cache only on a regular exit, but SIGKILL ends most of these
 * processes.
 */
const startedWithinMs = 5_000;
setTimeout(flushCompileCache, startedWithinMs).unref();
