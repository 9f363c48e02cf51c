import { readFileSync, writeFileSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { acceptsConnections } from "../../deploy/local/stack/service-process.ts";
import { RegistryClient, sync } from "../../services/client/index.ts";
import { AcknowledgedChanges } from "../checks/runner/acknowledged-changes.ts";
import { Counter } from "../checks/runner/counter.ts";
import { ProcessKiller } from "../checks/runner/process-killer.ts";
import { runWorkload } from "../checks/runner/run-workload.ts";
import { createStoreWithKey, writerTimeoutMs } from "../checks/runner/workload-store.ts";
import { eventually } from "../harness/eventually.ts";
import { orderItems } from "../harness/issue-items.ts";
import { ListClient } from "../harness/list-client.ts";
import { type MirrorKind, openStore } from "../harness/mirror/open-store.ts";
import { actorRandom } from "../harness/seeded-random.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import { createTemporaryFolder } from "../harness/temporary-folder.ts";

const seed = 20_261_122;
const initial = 120;
const changesMin = 400;
const unlimited = { REGISTRY_RATE_LIMIT: "10000", REGISTRY_RATE_LIMIT_WINDOW_MS: "1000" };

/** Starts PostgreSQL, compiled to WebAssembly, in this process. @returns its connection string */
async function startPostgres(): Promise<string> {
  const db = await PGlite.create();
  const port = await freePort();
  const server = new PGLiteSocketServer({ db, port, host: "127.0.0.1" });
  await server.start();
  onTestFinished(async () => {
    await server.stop();
    await db.close();
  });
  return `postgresql://postgres:postgres@127.0.0.1:${port}/postgres?sslmode=disable`;
}

test("mirrors in SQLite and PostgreSQL equal the list after a last catch-up, although all processes were killed", {
  timeout: 400_000,
}, async ({ signal }) => {
  const stack = await startStack({
    ...{ name: "mirrors", restart: true, signal, logLevel: "warn", callTimeoutMs: writerTimeoutMs },
    registries: [{ env: unlimited }, { env: unlimited }],
    edges: [{}, {}],
    notifiers: [{}, {}],
  });
  onTestFinished(() => stack.close());
  const folder = await createTemporaryFolder("mirrors");
  onTestFinished(() => folder.remove());
  const { supervisor, secrets, registries, edges, collections } = stack;

  const startMirror = async (kind: MirrorKind, location: string, edge: number) => {
    const registry = partOf(registries);
    const store = await createStoreWithKey(registry);
    // More than a page of certificates, issued before the webhook exists.
    const { results } = await registry.issuing.issueCertificates({ storeId: store.id, items: orderItems(initial) });
    store.certificateIds.push(...results.map(({ certificateId }) => certificateId));
    const port = await freePort();
    const url = `https://127.0.0.1:${port}/`;
    const { secret } = await registry.admin.setWebhook({ storeId: store.id, url, createSecret: true });
    const countFile = `${folder.path}/${kind}.count`;
    writeFileSync(countFile, "");
    const env = {
      ...{ MIRROR_KIND: kind, MIRROR_LOCATION: location, MIRROR_PORT: String(port), MIRROR_COUNT_FILE: countFile },
      ...{ MIRROR_CERT_FILE: secrets.receiver.cert, MIRROR_KEY_FILE: secrets.receiver.key, MIRROR_SECRET: secret },
      ...{ REGISTRY_URL: partOf(edges, edge).url, REGISTRY_API_KEY: store.apiKey },
    };
    const spec = {
      name: kind,
      script: "test/harness/mirror/mirror-program.ts",
      env,
      isReady: () => acceptsConnections(port),
    };
    const process = await supervisor.startService(`mirror-${kind}`, () => spec);
    const countOf = (event: string) => readFileSync(countFile, "utf8").split(event).length - 1;
    return { kind, location, store, process, countOf };
  };
  const mirrors = [
    await startMirror("SQLite", `${folder.path}/copy.db`, 0),
    await startMirror("PostgreSQL", await startPostgres(), 1),
  ];

  const acknowledged = new AcknowledgedChanges();
  const services = [stack.database, stack.nats, ...registries, ...edges].flatMap((part) => part?.process ?? []);
  const processes = [...services, ...stack.notifiers, ...mirrors.map(({ process }) => process)];
  const random = actorRandom(seed, "killer");
  const killer = new ProcessKiller({ processes, random, everyMs: 1_000, changes: () => acknowledged.count });
  const endedEarly = await runWorkload({
    ...{ seed, writers: 4, stores: mirrors.map(({ store }) => store), registries, acknowledged, killer, signal },
    calls: new Counter(),
    isEnough: () => acknowledged.count >= changesMin && killer.killedAll,
    progress: () => `${acknowledged.count} changes, ${killer.kills} kills`,
    log: () => undefined,
  });
  expect(endedEarly).toBeUndefined();
  // A call that its writer abandoned may still commit.
  let changes = -1;
  await eventually(
    async () => {
      const before = changes;
      changes = await collections.history.countDocuments();
      expect(changes).toBe(before);
    },
    { withinMs: 60_000, everyMs: 2_000 },
  );

  for (const { kind, location, store, process, countOf } of mirrors) {
    await process.kill();
    expect(countOf("m"), `${kind}: saved messages`).toBeGreaterThan(5);
    expect(countOf("s"), `${kind}: catch-ups`).toBeGreaterThan(1);
    const mirror = await openStore(kind, location);
    onTestFinished(() => mirror.close());
    const { url } = partOf(edges);
    await sync(new RegistryClient({ baseUrl: url, apiKey: store.apiKey }), mirror.store);
    const expected = await new ListClient(url, store.apiKey).all({ limit: "100" });
    expect(expected.length).toBeGreaterThanOrEqual(initial);
    const copied = new Map((await mirror.read()).map((one) => [one.id, one]));
    expect(copied).toEqual(new Map(expected.map((one) => [one.id, one])));
  }
});
