import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { createDatabaseRecord } from "./database-record.ts";
import { startDatabase } from "./database-server.ts";
import { freePort } from "./free-port.ts";
import type { RunningServer, ServerOptions } from "./running-server.ts";
import { SetupError } from "./setup-error.ts";

let home: string;
let lines: string[];
let servers: RunningServer[];

beforeEach(async () => {
  home = await openTemporaryFolder("database", onTestFinished);
  lines = [];
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.stop();
});

function options(more: Partial<ServerOptions> = {}): ServerOptions {
  const log = (line: string) => void lines.push(line);
  return { dataDir: join(home, "data"), port: 0, log, logFile: join(home, "logs", "database.log"), ...more };
}

async function start(more: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const server = await startDatabase(options(more));
  servers.push(server);
  return server;
}

async function withClient<T>(server: RunningServer, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(server.url, { writeConcern: { w: "majority", journal: true } });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

function writeInTransaction(server: RunningServer, name: string): Promise<void> {
  return withClient(server, async (client) => {
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await client.db("test").collection("a").insertOne({ name }, { session });
        await client.db("test").collection("b").insertOne({ name }, { session });
      }),
    );
  });
}

function readNames(server: RunningServer): Promise<string[][]> {
  const readFrom = async (client: MongoClient, collection: string) => {
    const documents = await client.db("test").collection(collection).find().sort({ name: 1 }).toArray();
    return documents.map(({ name }) => String(name));
  };
  return withClient(server, (client) => Promise.all([readFrom(client, "a"), readFrom(client, "b")]));
}

const fetchMs = 300_000;

test("supports transactions and keeps their writes across a stop and a kill", {
  timeout: fetchMs,
}, async () => {
  const first = await start();
  expect(lines.at(-1)).toBe(lines.find((line) => line.startsWith(`Database: ${first.kind} (`)));
  await writeInTransaction(first, "before stop");
  await first.stop();
  await first.stop();
  expect(await first.exited).toEqual({ code: 0, signal: null });

  const second = await start();
  await writeInTransaction(second, "before kill");
  second.kill();
  expect(await second.exited).toEqual({ code: null, signal: "SIGKILL" });

  const third = await start();
  const names = ["before kill", "before stop"];
  expect(await readNames(third)).toEqual([names, names]);
  expect(await readFile(join(home, "logs", "database.log"), "utf8")).not.toBe("");
});

test("fails and states the remedy if REGISTRY_DATABASE_SERVER selects mongod and none is installed", async () => {
  const env = { PATH: "", XDG_CACHE_HOME: home, REGISTRY_DATABASE_SERVER: "mongod" };
  const failure = await start({ env }).catch((error) => error);
  expect(failure).toBeInstanceOf(SetupError);
  expect(failure.message).toMatch(
    /^REGISTRY_DATABASE_SERVER=mongod, but no mongod .*: install one, or unset REGISTRY_DATABASE_SERVER\.$/,
  );
});

test("leaves the data folder empty when the first start fails, so that any server can use it", {
  timeout: fetchMs,
}, async () => {
  const programs = join(home, "programs");
  await mkdir(programs);
  await writeFile(join(programs, "secantusd-rs"), "#!/bin/sh\necho broken; exit 3\n", { mode: 0o755 });
  const env = { PATH: `${programs}:/bin`, XDG_CACHE_HOME: home, REGISTRY_DATABASE_SERVER: "secantusd-rs" };
  await expect(start({ env })).rejects.toThrow("exited with code 3 before it was ready");
  expect(await readdir(join(home, "data"))).toEqual([]);
});

/**
 * Installs a broken mongod that simulates a concurrent start: when asked for its version, it stores data of the server
 * `rival`, and a record that names this server, in the data folder.
 */
async function installBrokenMongod(rival: string): Promise<NodeJS.ProcessEnv> {
  const [programs, data] = [join(home, "programs"), join(home, "data")];
  await mkdir(programs);
  const script = [
    "#!/bin/sh",
    '[ "$1" = --version ] || exit 3',
    `mkdir -p ${data}/${rival}/storage && echo live > ${data}/${rival}/storage/table`,
    `echo '{"kind":"${rival}","version":null}' > ${data}/server.json`,
    "echo db version v8.0.0",
  ];
  await writeFile(join(programs, "mongod"), `${script.join("\n")}\n`, { mode: 0o755 });
  return { PATH: `${programs}:/bin`, XDG_CACHE_HOME: home, REGISTRY_DATABASE_SERVER: "mongod" };
}

test.each([
  ["the same server", "mongod", "exited with code 3 before it was ready"],
  ["another server", "secantusd-py", "belongs to secantusd-py"],
])("a failed first start keeps the data that %s stored meanwhile", async (_, rival, message) => {
  const env = await installBrokenMongod(rival);
  await expect(start({ env })).rejects.toThrow(message);
  const data = join(home, "data");
  expect(JSON.parse(await readFile(join(data, "server.json"), "utf8"))).toEqual({ kind: rival, version: null });
  expect(await readFile(join(data, rival, "storage", "table"), "utf8")).toBe("live\n");
});

test("refuses a server that does not own the data folder", async () => {
  await createDatabaseRecord(join(home, "data"), { kind: "secantusd-py", version: "1" });
  const env = { ...process.env, MONGODB_URI: "mongodb://127.0.0.1:1" };
  await expect(start({ env })).rejects.toThrow(
    `The data in ${join(home, "data")} belongs to secantusd-py, and other servers cannot read it: unset MONGODB_URI,`,
  );
});

test("neither stops nor kills the server at MONGODB_URI", { timeout: fetchMs }, async () => {
  const own = await start();
  const env = { MONGODB_URI: own.url };
  const server = await startDatabase(options({ env, dataDir: join(home, "external") }));
  expect(server).toMatchObject({ kind: "MONGODB_URI", url: own.url, pid: null });
  expect(() => server.kill()).toThrow("was not started by this process and cannot be killed");
  await server.stop();
  await writeInTransaction(own, "still there");
});

test("rejects an unreachable MONGODB_URI without disclosing its password", async () => {
  const uri = `mongodb://user:secret@127.0.0.1:${await freePort()}/?serverSelectionTimeoutMS=200`;
  const failure = await start({ env: { MONGODB_URI: uri } }).catch((error) => error);
  expect(failure).toBeInstanceOf(SetupError);
  expect(failure.message).toMatch(/^MONGODB_URI \(mongodb:\/\/\*\*\*@127\.0\.0\.1.*unset MONGODB_URI/);
  expect(failure.message).not.toContain("secret");
});
