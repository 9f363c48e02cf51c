import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Folder in which Node keeps compiled modules (NODE_COMPILE_CACHE). They reduce the CPU time that a service needs to
 * start by about a third.
 */
export const compiledFolder = path.join(
  fileURLToPath(new URL("../../..", import.meta.url)),
  "node_modules/.cache/compiled",
);
