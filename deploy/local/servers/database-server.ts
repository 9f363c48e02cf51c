import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { type DatabaseKind, databaseKinds } from "./database-plan.ts";
import { databaseWayOut, findDatabase } from "./database-program.ts";
import { checkDatabase, databaseReady } from "./database-ready.ts";
import { externalServer, withoutCredentials } from "./external-server.ts";
import type { Program } from "./program.ts";
import type { RunningServer, ServerOptions } from "./running-server.ts";
import { startServer } from "./start-server.ts";

/** Data of one kind of server cannot be read by another, so each has a folder; a change of kind is worth a word. */
async function mentionOtherData(kind: DatabaseKind, options: ServerOptions): Promise<void> {
  const folders = await readdir(options.dataDir).catch((): string[] => []);
  const others = databaseKinds.filter((other) => other !== kind && folders.includes(other));
  if (others.length === 0 || folders.includes(kind)) return;
  options.log(
    `Data of ${others.join(" and ")} stays in ${options.dataDir}; ${kind} starts with an empty database.`,
  );
}

function startProgram(program: Program<DatabaseKind>, options: ServerOptions): Promise<RunningServer> {
  const isMongod = program.kind === "mongod" || program.kind === "memory-server";
  const recipe = {
    program,
    dataDir: resolve(options.dataDir, program.kind),
    remedy: databaseWayOut,
    // Direct: no discovery, so the names a server gives itself never matter, and a restarted server is found again.
    url: (port: number) => `mongodb://127.0.0.1:${port}/?directConnection=true`,
    ready: (url: string, port: number, signal: AbortSignal) =>
      databaseReady(url, signal, isMongod ? `127.0.0.1:${port}` : undefined),
  };
  return startServer(recipe, options);
}

/**
 * A database that does multi-document transactions: the server of MONGODB_URI, or one found or fetched and then started here
 * (`buildFast`, default false, may spend minutes on building a fast one). Says in the log which. SetupError when there is none.
 */
export async function startDatabase(
  options: ServerOptions & { readonly buildFast?: boolean },
): Promise<RunningServer> {
  const { log, signal, env = process.env, buildFast = false } = options;
  const database = await findDatabase({ env, log, signal }, { buildFast });
  if ("uri" in database) {
    log(`Database: the server of MONGODB_URI (${withoutCredentials(database.uri)}).`);
    await checkDatabase(database.uri, signal);
    return externalServer("MONGODB_URI", database.uri);
  }
  await mentionOtherData(database.kind, options);
  const server = await startProgram(database, options);
  log(`Database: ${server.kind} (${database.path}) at ${server.url}.`);
  return server;
}
