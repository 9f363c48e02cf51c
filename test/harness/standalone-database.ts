import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseReady } from "../../deploy/local/servers/database-ready.ts";
import { findMongod } from "../../deploy/local/servers/mongod.ts";
import type { Launch, Program } from "../../deploy/local/servers/program.ts";
import { findStandaloneStandIn } from "../../deploy/local/servers/stand-in/stand-in-databases.ts";
import { startServer } from "../../deploy/local/servers/start-server.ts";

/** A database server that is no replica set. */
export interface StandaloneDatabase {
  readonly kind: string;
  readonly url: string;
  /** Stops it and removes what it stored. */
  close(): Promise<void>;
}

/** Starts a server as a standalone one; undefined where neither mongod nor the fast stand-in is installed. */
export async function startStandaloneDatabase(): Promise<StandaloneDatabase | undefined> {
  const program = await findStandaloneProgram();
  if (program === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "registry-tests-standalone-"));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const options = {
    dataDir: folder,
    port: 0,
    log: () => undefined,
    logFile: join(folder, "database.log"),
  };
  try {
    const server = await startServer(
      {
        program,
        dataDir: join(folder, "data"),
        remedy: "leave this test out",
        url: (port) => `mongodb://127.0.0.1:${port}/`,
        ready: (url, _port, signal) => databaseReady(url, signal),
      },
      options,
    );
    const close = async () => {
      await server.stop();
      await removeFolder();
    };
    return { kind: server.kind, url: server.url, close };
  } catch (error) {
    await removeFolder();
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

/** Leaves out `--replSet` and the name behind it. */
function withoutReplicaSet(args: readonly string[]): readonly string[] {
  const at = args.indexOf("--replSet");
  return args.filter((_, index) => index !== at && index !== at + 1);
}
