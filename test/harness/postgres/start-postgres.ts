import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { guardProcess } from "../../../deploy/local/servers/guard-process.ts";
import { eventually } from "../eventually.ts";
import { createTemporaryFolder } from "../files/temporary-folder.ts";
import { copyPostgresPrograms, giveToPostgres, postgresUser } from "./postgres-programs.ts";

const startWithinMs = 60_000;
const connectionsEndWithinMs = 5_000;

/** Starts PostgreSQL on a free port of 127.0.0.1. @throws Error if the server does not start */
export async function startPostgres() {
  const folder = await createTemporaryFolder("postgres");
  let server: ChildProcess | undefined;
  try {
    const programs = await copyPostgresPrograms(folder.path);
    const data = path.join(folder.path, "data");
    await mkdir(data);
    await giveToPostgres(folder.path);
    const user = { ...postgresUser, cwd: folder.path };
    const cluster = ["--pgdata", data, "--username", "postgres", "--auth", "trust", "--encoding", "UTF8"];
    await promisify(execFile)(path.join(programs, "initdb"), [...cluster, "--no-locale", "--no-sync"], user);
    const port = await freePort();
    const settings = ["-h", "127.0.0.1", "-p", String(port), "-k", ""];
    const started = spawn(path.join(programs, "postgres"), ["-D", data, ...settings], { ...user, stdio: "ignore" });
    server = started;
    const exited = once(started, "exit");
    const endGuard = guardProcess(started.pid ?? 0);
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    await eventually(() => connectOnce(url), { withinMs: startWithinMs });
    return {
      url,
      close: async () => {
        // Smart shutdown: waits until clients have closed their connections. If the server ended a connection that a
        // client is closing, the client would report an error.
        started.kill("SIGTERM");
        // Fast shutdown: ends the connections that a failed test has left open.
        const impatient = setTimeout(() => started.kill("SIGINT"), connectionsEndWithinMs);
        await exited;
        clearTimeout(impatient);
        endGuard();
        await folder.remove();
      },
    };
  } catch (error) {
    server?.kill("SIGKILL");
    await folder.remove();
    throw error;
  }
}

async function connectOnce(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.end();
}
