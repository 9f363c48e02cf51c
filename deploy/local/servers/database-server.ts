import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { type DatabaseKind, databaseKinds } from "./database-plan.ts";
import { databaseRemedy, findDatabase } from "./database-program.ts";
import { checkDatabase, databaseReady } from "./database-ready.ts";
import { externalServer, withoutCredentials } from "./external-server.ts";
import type { Program } from "./program.ts";
import type { RunningServer, ServerOptions } from "./running-server.ts";
import { startServer } from "./start-server.ts";

/** Logs a change of the server's kind. Each kind has its own data folder: no kind can read another kind's data. */
async function logOtherData(kind: DatabaseKind, options: ServerOptions): Promise<void> {
  const folders = await readdir(options.dataDir).catch((): string[] => []);
  const others = databaseKinds.filter((other) => other !== kind && folders.includes(other));
  if (others.length === 0 || folders.includes(kind)) return;
  options.log(
    `${kind} starts with an empty database; the data of ${others.join(" and ")} remains in ${options.dataDir}.`,
  );
}

function startProgram(program: Program<DatabaseKind>, options: ServerOptions): Promise<RunningServer> {
  const isMongod = program.kind === "mongod" || program.kind === "memory-server";
  const recipe = {
    program,
    dataDir: resolve(options.dataDir, program.kind),
    remedy: databaseRemedy,
    // Without discovery, the host name that the server reports is ignored, and clients reconnect after a restart.
    url: (port: number) => `mongodb://127.0.0.1:${port}/?directConnection=true`,
    ready: (url: string, port: number, signal: AbortSignal) =>
      databaseReady(url, signal, isMongod ? `127.0.0.1:${port}` : undefined),
  };
  return startServer(recipe, options);
}

/**
 * Starts a database that supports multi-document transactions, or connects to the server at MONGODB_URI. Installs a
 * server when none is installed, and logs which one is used.
 *
 * @param options `buildFast` (default false) allows an installation that takes minutes
 * @throws SetupError when no server is available
 */
export async function startDatabase(options: ServerOptions & { readonly buildFast?: boolean }): Promise<RunningServer> {
  const { log, signal, env = process.env, buildFast = false } = options;
  const database = await findDatabase({ env, log, signal }, { buildFast });
  if ("uri" in database) {
    log(`Database: the server at MONGODB_URI (${withoutCredentials(database.uri)}).`);
    await checkDatabase(database.uri, signal);
    return externalServer("MONGODB_URI", database.uri);
  }
  await logOtherData(database.kind, options);
  const server = await startProgram(database, options);
  log(`Database: ${server.kind} (${database.path}) at ${server.url}.`);
  return server;
}
