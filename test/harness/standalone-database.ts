import { join } from "node:path";
import { databaseReady } from "../../deploy/local/servers/database-ready.ts";
import { findMongod } from "../../deploy/local/servers/mongod.ts";
import type { Launch, Program } from "../../deploy/local/servers/program.ts";
import { findStandaloneStandIn } from "../../deploy/local/servers/stand-in/stand-in-databases.ts";
import { startServer } from "../../deploy/local/servers/start-server.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** A database server that is not a replica set. */
export interface StandaloneDatabase {
  readonly kind: string;
  readonly url: string;
  /** Stops the server and deletes its data. */
  close(): Promise<void>;
}

/** Starts a standalone server; undefined when neither mongod nor the fast stand-in is installed. */
export async function startStandaloneDatabase(): Promise<StandaloneDatabase | undefined> {
  const program = await findStandaloneProgram();
  if (program === undefined) return undefined;
  const folder = await createTemporaryFolder("registry-tests-standalone");
  const options = {
    dataDir: folder.path,
    port: 0,
    log: () => undefined,
    logFile: join(folder.path, "database.log"),
  };
  try {
    const server = await startServer(
      {
        program,
        dataDir: join(folder.path, "data"),
        remedy: "leave this test out",
        url: (port) => `mongodb://127.0.0.1:${port}/`,
        ready: (url, _port, signal) => databaseReady(url, signal),
      },
      options,
    );
    const close = async () => {
      await server.stop();
      await folder.remove();
    };
    return { kind: server.kind, url: server.url, close };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

async function findStandaloneProgram(): Promise<Program | undefined> {
  const context = { env: process.env, log: () => undefined, signal: undefined };
  const mongod = await findMongod(context);
  if (mongod !== undefined) return launchedWith(mongod, withoutReplicaSet);
  return findStandaloneStandIn(context);
}

function launchedWith(program: Program, change: (args: readonly string[]) => readonly string[]): Program {
  const launch = async (place: Parameters<Program["launch"]>[0]): Promise<Launch> => {
    const usual = await program.launch(place);
    return { ...usual, args: change(usual.args) };
  };
  return { ...program, launch };
}

/** Removes `--replSet` and its value. */
function withoutReplicaSet(args: readonly string[]): readonly string[] {
  const at = args.indexOf("--replSet");
  return args.filter((_, index) => index !== at && index !== at + 1);
}
