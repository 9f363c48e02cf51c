import { join } from "node:path";
import { startDatabase } from "../../deploy/local/servers/database-server.ts";
import type { Log } from "./supervisor/supervisor.ts";
import { createMemoryFolder } from "./temporary-folder.ts";

/**
 * Starts a local database server whose data need not survive the machine.
 *
 * @param buildFast whether to build the fast stand-in, which takes minutes, when no faster server is installed
 * @returns its URL without a database name, and a function that stops it and deletes its data
 */
export async function startMemoryDatabase(log: Log, buildFast = false) {
  const folder = await createMemoryFolder("registry-tests");
  try {
    const logFile = join(folder.path, "database.log");
    const server = await startDatabase({ dataDir: join(folder.path, "data"), port: 0, log, logFile, buildFast });
    const stop = async () => {
      await server.stop();
      await folder.remove();
    };
    return { url: server.url, stop };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}
