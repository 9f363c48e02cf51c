import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Folder in which Node keeps compiled modules (NODE_COMPILE_CACHE). With them, a service needs about a third less CPU
 * time to start.
 */
export const compiledFolder = path.join(
  fileURLToPath(new URL("../../..", import.meta.url)),
  "node_modules/.cache/compiled",
);
