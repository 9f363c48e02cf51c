import { mkdir, readdir, symlink } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { findOnPath } from "../../deploy/local/servers/executable.ts";
import { findNats } from "../../deploy/local/servers/find-nats.ts";
import type { SetupContext } from "../../deploy/local/servers/setup-context.ts";
import { findSecantusRust } from "../../deploy/local/servers/stand-in/secantus-rust.ts";
import { installSecantusWheel } from "../../deploy/local/servers/stand-in/secantus-wheel.ts";
import { createTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { ListClient } from "../harness/list-client.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const folder = await createTemporaryFolder("registry-database-kind");
afterAll(async () => {
  vi.unstubAllEnvs();
  await folder.remove();
});

const cache = path.join(folder.path, "cache", "certificate-registry");
const programs = path.join(folder.path, "bin");

/** Links a file or folder into another folder under its own name. */
const link = (file: string, into: string) => symlink(file, path.join(into, path.basename(file)));

/** Sets PATH and the cache folder so that this process finds only the slow database server, NATS and a shell. */
async function hideServers(slow: string, nats: string, sh: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  await mkdir(programs);
  await link(slow, cache);
  await link(nats, programs);
  await link(sh, programs);
  vi.stubEnv("XDG_CACHE_HOME", path.dirname(cache));
  vi.stubEnv("PATH", programs);
}

test("a stack restarts a killed database server with the same kind of server, even if a faster kind has become available", {
  timeout: 300_000,
}, async ({ skip, signal }) => {
  const context: SetupContext = { env: process.env, log: () => undefined, signal };
  const fast = await findSecantusRust(context);
  if (fast === undefined) return skip("the fast stand-in is not built");
  const nats = await findNats(context);
  const sh = await findOnPath("sh", process.env);
  if ("uri" in nats || sh === undefined) return skip("needs local servers and a shell");
  await hideServers((await installSecantusWheel(context)).path, nats.path, sh);

  const stack = await startStack({ name: "registry-database-kind", signal, registries: [{}], edges: [{}] });
  try {
    const { database, supervisor, registries, edges } = stack;
    if (database?.kind !== "secantusd-py") return skip(`${database?.kind} was found although it was hidden`);
    const registry = partOf(registries);
    const { apiKey } = await createKeyedStore(registry);
    const list = new ListClient(partOf(edges).url, apiKey);
    expect((await list.fetch("")).status).toBe(200);

    await link(fast.path, programs);
    await database.process.kill();
    await database.process.start();
    await expect.poll(async () => (await list.fetch("")).status, { timeout: 60_000 }).not.toBe(503);
    expect((await list.fetch("")).status).toBe(200);
    expect((await readdir(supervisor.path("database"))).toSorted()).toEqual(["secantusd-py", "server.json"]);
  } finally {
    await stack.close();
  }
});
