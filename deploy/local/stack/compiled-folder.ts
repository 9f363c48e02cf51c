import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Folder in which Node keeps compiled modules (NODE_COMPILE_CACHE). With it, a service starts in about two thirds of
 * the CPU time that it needs without it.
 */
export const compiledFolder = path.join(
  fileURLToPath(new URL("../../..", import.meta.url)),
  "node_modules/.cache/compiled",
);
