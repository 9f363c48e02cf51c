import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { connect, type NatsConnection } from "nats";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { freePort } from "./free-port.ts";
import { startNats } from "./nats-server.ts";
import type { RunningServer, ServerOptions } from "./running-server.ts";
import { SetupError } from "./setup-error.ts";

let home: string;
let servers: RunningServer[];

beforeEach(async () => {
  home = await openTemporaryFolder("nats", onTestFinished);
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.stop();
});

async function start(more: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const place = { dataDir: join(home, "data"), port: 0, logFile: join(home, "nats.log") };
  const server = await startNats({ ...place, log: () => undefined, ...more });
  servers.push(server);
  return server;
}

async function withConnection<T>(server: RunningServer, work: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: server.url });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

const fetchMs = 300_000;

test("keeps every message that JetStream acknowledged, even after a kill or a stop", {
  timeout: fetchMs,
}, async () => {
  const port = await freePort();
  const first = await start({ port });
  expect(first.url).toBe(`nats://127.0.0.1:${port}`);
  await withConnection(first, async (connection) => {
    const manager = await connection.jetstreamManager();
    await manager.streams.add({ name: "events", subjects: ["events.>"] });
    for (let number = 0; number < 20; number++) await connection.jetstream().publish("events.a", `${number}`);
    first.kill();
  });
  expect(await first.exited).toEqual({ code: null, signal: "SIGKILL" });

  const second = await start({ port });
  await withConnection(second, async (connection) => {
    await connection.jetstream().publish("events.a", "last");
  });
  await second.stop();

  const third = await start({ port });
  await withConnection(third, async (connection) => {
    const manager = await connection.jetstreamManager();
    expect((await manager.streams.info("events")).state.messages).toBe(21);
    expect((await manager.streams.getMessage("events", { last_by_subj: "events.a" })).string()).toBe("last");
  });
});

test("resolves a relative data folder against the current folder", { timeout: fetchMs }, async () => {
  await start({ dataDir: relative(process.cwd(), join(home, "relative")) });
  expect(await readdir(join(home, "relative", "nats-server"))).toContain("jetstream");
});

test("neither stops nor kills the server at NATS_URL", { timeout: fetchMs }, async () => {
  const own = await start();
  const server = await start({ env: { NATS_URL: own.url } });
  expect(server).toMatchObject({ kind: "NATS_URL", url: own.url, pid: null });
  expect(() => server.kill()).toThrow("was not started by this process and cannot be killed");
  await server.stop();
  await withConnection(own, (connection) => connection.flush());
});

test("rejects an unreachable NATS_URL without disclosing its password", async () => {
  const url = `nats://user:secret@127.0.0.1:${await freePort()}`;
  const failure = await start({ env: { NATS_URL: url } }).catch((error) => error);
  expect(failure).toBeInstanceOf(SetupError);
  expect(failure.message).toMatch(/^NATS_URL \(nats:\/\/\*\*\*@127\.0\.0\.1.*unset NATS_URL/);
  expect(failure.message).not.toContain("secret");
});

test("states the remedy when no server is installed and every attempt to install one fails", async () => {
  const failure = await start({ env: { PATH: "", XDG_CACHE_HOME: home } }).catch((error) => error);
  expect(failure).toBeInstanceOf(SetupError);
  expect(failure.message).toMatch(
    /^No NATS server is available; set NATS_URL to .*, or install nats-server\. Attempts:/,
  );
});
