import { join } from "node:path";
import { type DatabaseOptions, startDatabase } from "../../deploy/local/servers/database-server.ts";
import { createMemoryFolder } from "./files/temporary-folder.ts";

/**
 * Returns the environment that selects a server on this machine.
 *
 * @param kind default: the kind that `npm start` would choose
 */
export const localServer = (kind = process.env.REGISTRY_DATABASE_SERVER) => ({
  ...process.env,
  MONGODB_URI: undefined,
  REGISTRY_DATABASE_SERVER: kind,
});

/**
 * Starts a database server with data that need not survive the machine. `stop` and disposal end it and delete its data.
 *
 * @throws SetupError when the server cannot be installed or started
 */
export async function startOwnDatabase(
  options: Partial<Pick<DatabaseOptions, "log" | "env" | "buildFast" | "prepare">> = {},
) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await createMemoryFolder("registry-tests"));
  const files = { dataDir: join(folder.path, "data"), logFile: join(folder.path, "database.log") };
  const server = await startDatabase({ log: () => undefined, ...options, ...files, port: 0 });
  opened.defer(async () => {
    // An external server has no process, and stays. Others need not save data that is deleted.
    if (server.pid === null) return;
    server.kill();
    await server.exited;
  });
  const running = opened.move();
  const stop = () => running.disposeAsync();
  return { kind: server.kind, url: server.url, pid: server.pid, stop, [Symbol.asyncDispose]: stop };
}
