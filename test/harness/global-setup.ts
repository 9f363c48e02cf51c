import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startDatabase } from "../../deploy/local/servers/database-server.ts";
import { startContainerDatabase } from "./database-in-container.ts";
import { openKeyFolder } from "./key-files.ts";
import { serverSources } from "./test-servers.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of the run's database server; it names no database. */
    databaseServerUrl: string;
    /** Encrypts the secrets that registries under test store. */
    secretKeyFile: string;
  }
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

type Log = (line: string) => void;

/** Starts the one database server of a run that has tests which need one, makes a key, and removes both at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer((line) => project.vitest.logger.log(line));
  project.provide("databaseServerUrl", server.url);
  const keys = await openKeyFolder();
  project.provide("secretKeyFile", await keys.write("secret"));
  return async () => {
    await keys.remove();
    await server.stop();
  };
}

async function startServer(log: Log): Promise<Server> {
  const sources = serverSources(process.env);
  if (sources.includes("containers")) {
    try {
      const server = await startContainerDatabase(process.env);
      log(`Database: ${server.kind} at ${server.url}.`);
      return server;
    } catch (error) {
      if (!sources.includes("local")) throw error;
      log(`No container for the database: ${error instanceof Error ? error.message : error}.`);
    }
  }
  return startLocal(log);
}

async function startLocal(log: Log): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "registry-tests-"));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const logFile = join(folder, "database.log");
    const server = await startDatabase({ dataDir: join(folder, "data"), port: 0, log, logFile });
    const stop = async () => {
      await server.stop();
      await removeFolder();
    };
    return { url: server.url, stop };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}
