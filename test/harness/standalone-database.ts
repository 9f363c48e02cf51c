import { join } from "node:path";
import { databaseReady } from "../../deploy/local/servers/database-ready.ts";
import { findMongod } from "../../deploy/local/servers/mongod.ts";
import type { Program } from "../../deploy/local/servers/program.ts";
import { findSecantusRust } from "../../deploy/local/servers/stand-in/secantus-rust.ts";
import { startServer } from "../../deploy/local/servers/start-server.ts";
import { createTemporaryFolder } from "./files/temporary-folder.ts";

/**
 * Starts a database server that is not a member of a replica set. `close` stops it and deletes its data.
 *
 * @returns undefined when neither mongod nor the fast stand-in is installed
 */
export async function startStandaloneDatabase() {
  const program = await findStandaloneProgram();
  if (program === undefined) return undefined;
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(await createTemporaryFolder("registry-tests-standalone"));
  const options = { dataDir: path, port: 0, log: () => undefined, logFile: join(path, "database.log") };
  const server = await startServer(
    {
      program,
      dataDir: join(path, "data"),
      remedy: "skip this test",
      url: (port) => `mongodb://127.0.0.1:${port}/`,
      ready: (url, _port, signal) => databaseReady(url, signal),
    },
    options,
  );
  opened.defer(() => server.stop());
  const running = opened.move();
  return { kind: server.kind, url: server.url, close: () => running.disposeAsync() };
}

async function findStandaloneProgram(): Promise<Program | undefined> {
  const context = { env: process.env, log: () => undefined, signal: undefined };
  const mongod = await findMongod(context);
  if (mongod !== undefined)
    return withArgs(mongod, (args) => {
      const at = args.indexOf("--replSet");
      return args.filter((_, index) => index !== at && index !== at + 1);
    });
  const standIn = await findSecantusRust(context);
  return standIn && withArgs(standIn, (args) => [...args, "--standalone"]);
}

function withArgs(program: Program, change: (args: readonly string[]) => string[]): Program {
  const launch: Program["launch"] = async (place) => {
    const usual = await program.launch(place);
    return { ...usual, args: change(usual.args) };
  };
  return { ...program, launch };
}
