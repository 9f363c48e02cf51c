import { join } from "node:path";
import { startDatabase } from "../../deploy/local/servers/database-server.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/**
 * Starts the slow stand-in for MongoDB, which takes 10 to 100 times as long per operation as the fast servers.
 *
 * @throws SetupError when the stand-in cannot be installed or started, for example because Python is missing
 */
export async function startSlowDatabase(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = await createTemporaryFolder("slow-database");
  const env = { ...process.env, REGISTRY_DATABASE_SERVER: "secantusd-py", MONGODB_URI: undefined };
  const files = { dataDir: join(folder.path, "data"), logFile: join(folder.path, "database.log") };
  try {
    const server = await startDatabase({ ...files, port: 0, log: () => undefined, env });
    const stop = async () => {
      server.kill();
      await server.exited;
      await folder.remove();
    };
    return { url: server.url, stop };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}
