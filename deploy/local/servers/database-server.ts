import { resolve } from "node:path";
import type { DatabaseKind } from "./database-plan.ts";
import { databaseRemedy, findDatabase } from "./database-program.ts";
import { checkDatabase, databaseReady } from "./database-ready.ts";
import { createDatabaseRecord, readFolderContent, removeDatabaseRecord } from "./database-record.ts";
import { externalServer, withoutCredentials } from "./external-server.ts";
import { ownerOf, requireVersion } from "./folder-owner.ts";
import type { Program } from "./program.ts";
import type { RunningServer, ServerOptions } from "./running-server.ts";
import { startServer } from "./start-server.ts";

function startProgram(program: Program<DatabaseKind>, options: ServerOptions): Promise<RunningServer> {
  const isMongod = program.kind === "mongod" || program.kind === "memory-server";
  const recipe = {
    program,
    dataDir: resolve(options.dataDir, program.kind),
    remedy: databaseRemedy,
    // Without discovery, clients ignore the host name that the server reports, and can reconnect after a restart.
    url: (port: number) => `mongodb://127.0.0.1:${port}/?directConnection=true`,
    ready: (url: string, port: number, signal: AbortSignal) =>
      databaseReady(url, signal, isMongod ? `127.0.0.1:${port}` : undefined),
  };
  return startServer(recipe, options);
}

/** Options of {@link startDatabase}. */
export interface DatabaseOptions extends ServerOptions {
  /** Allows an installation that takes minutes. Default false. */
  readonly buildFast?: boolean;
  /** Kind of server at the previous start; helps to find the owner of a data folder without a record. */
  readonly previousKind?: string | undefined;
  /** Prepares each server that this process starts, before it is used. If it fails, the server is stopped. */
  readonly prepare?: (server: RunningServer, program: Program<DatabaseKind>) => Promise<void>;
}

/**
 * Starts a database that supports multi-document transactions, or connects to the server at MONGODB_URI. Installs a
 * server when none is installed, and logs the chosen server. The data folder records the kind of server before the
 * server is first started, and later starts use no other kind.
 *
 * @throws SetupError when no server is available, the server cannot be started or used, or the settings contradict each
 * other or the data
 */
export async function startDatabase(options: DatabaseOptions): Promise<RunningServer> {
  for (;;) {
    const start = await planStart(options);
    if (start !== undefined) return start();
  }
}

/**
 * Chooses the server and makes sure that the data folder records it.
 *
 * @returns a function that starts the server; undefined when another start has created the record in the meantime,
 * because that record may name another server
 */
async function planStart(options: DatabaseOptions): Promise<(() => Promise<RunningServer>) | undefined> {
  const { log, signal, env = process.env, buildFast = false, dataDir, previousKind } = options;
  const content = await readFolderContent(dataDir);
  const kind = ownerOf(dataDir, content, previousKind);
  const owner = kind === undefined ? undefined : { kind, folder: dataDir };
  // May take minutes, during which another start may create the record.
  const database = await findDatabase({ env, log, signal }, { buildFast, owner });
  const hasRecord = content.record !== undefined;
  if ("uri" in database) {
    const { uri } = database;
    log(`Database: the server at MONGODB_URI (${withoutCredentials(uri)}).`);
    await checkDatabase(uri, signal);
    if (!hasRecord && !(await createDatabaseRecord(dataDir, { kind: "MONGODB_URI", version: null }))) return undefined;
    return async () => externalServer("MONGODB_URI", uri);
  }
  requireVersion(dataDir, content.record, database);
  if (hasRecord) return () => startAndPrepare(database, options);
  const record = { kind: database.kind, version: database.version ?? null };
  if (!(await createDatabaseRecord(dataDir, record))) return undefined;
  const { kindsWithData } = await readFolderContent(dataDir);
  if (kindsWithData.length > 0) return () => startAndPrepare(database, options);
  return async () => {
    try {
      return await startAndPrepare(database, options);
    } catch (error) {
      await removeDatabaseRecord(dataDir, record);
      throw error;
    }
  };
}

async function startAndPrepare(program: Program<DatabaseKind>, options: DatabaseOptions): Promise<RunningServer> {
  const server = await startProgram(program, options);
  options.log(`Database: ${server.kind} (${program.path}) at ${server.url}.`);
  try {
    await options.prepare?.(server, program);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
