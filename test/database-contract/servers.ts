import { join } from "node:path";
import { databaseKinds } from "../../deploy/local/servers/database-plan.ts";
import { findDatabase } from "../../deploy/local/servers/database-program.ts";
import { type DatabaseOptions, startDatabase } from "../../deploy/local/servers/database-server.ts";
import { messageOf, SetupError } from "../../deploy/local/servers/setup-error.ts";
import { createTemporaryFolder } from "../harness/temporary-folder.ts";

/** Returns the environment that selects a kind of server. */
export const envOf = (kind: string) => ({ ...process.env, MONGODB_URI: undefined, REGISTRY_DATABASE_SERVER: kind });

/**
 * Returns the kinds of server, and why a kind cannot run on this machine. Installs those that take seconds to install.
 */
export function databaseServers(): Promise<{ readonly kind: string; readonly missing: string | undefined }[]> {
  const log = () => undefined;
  return Promise.all(
    databaseKinds.map(async (kind) => {
      try {
        await findDatabase({ env: envOf(kind), log, signal: undefined }, { buildFast: false });
        return { kind, missing: undefined };
      } catch (error) {
        if (error instanceof SetupError) return { kind, missing: messageOf(error) };
        throw error;
      }
    }),
  );
}

/** Starts a server of a kind on new data. Disposal stops the server and deletes the data. */
export async function startServer(kind: string, options: Pick<DatabaseOptions, "prepare"> = {}) {
  const folder = await createTemporaryFolder("database-contract");
  try {
    const files = { dataDir: join(folder.path, "data"), logFile: join(folder.path, "database.log") };
    const server = await startDatabase({ ...files, ...options, port: 0, log: () => undefined, env: envOf(kind) });
    const dispose = async () => {
      await server.stop();
      await folder.remove();
    };
    return { url: server.url, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}
