import { Code } from "@connectrpc/connect";
import { expect, type TestContext, test } from "vitest";
import { productVersion } from "#shared/lifecycle/product-version.ts";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { healthOf } from "../harness/health-of.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createTestStore } from "../harness/test-stores.ts";

/** Starts a registry whose database is unreachable until `recover` is called. */
async function startWithoutDatabase({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const database = await openTestDatabase(onTestFinished);
  const { host } = new URL(database.uri);
  const proxy = await startCutProxy(host, onTestFinished);
  proxy.cut();
  const { lines, onLogLine } = captureLog();
  const behindProxy = { ...database, uri: database.uri.replace(host, proxy.address) };
  const registry = await startTestRegistry({ database: behindProxy, onLogLine, untilReady: false });
  const get = async (path: string) => {
    const response = await fetch(`${registry.operationsUrl}${path}`);
    return { status: response.status, body: await response.text() };
  };
  return { registry, get, lines, recover: () => proxy.heal() };
}

const waiting = expect.objectContaining({ msg: "waiting for the database" });

test("listens at once, reports not ready, and serves calls once the database becomes available", async (context) => {
  const { registry, get, lines, recover } = await startWithoutDatabase(context);
  context.onTestFinished(() => registry.stop());
  expect(await get("/livez")).toEqual({ status: 200, body: `ok ${productVersion}\n` });
  expect(await get("/readyz")).toEqual({ status: 503, body: "waiting for the database\n" });
  expect(await healthOf(registry.address)).toBe("NOT_SERVING");
  await expect(registry.admin.listStores({})).rejects.toMatchObject({
    code: Code.Unavailable,
    rawMessage: "The registry is starting and waiting for its database. Try again shortly.",
  });
  await eventually(() => expect(lines).toContainEqual(waiting));

  recover();
  await registry.started;
  expect(await get("/readyz")).toEqual({ status: 200, body: "ok\n" });
  expect(await healthOf(registry.address)).toBe("SERVING");
  await createTestStore(registry);
});

test("stops cleanly while it waits for the database", async (context) => {
  const { registry, get } = await startWithoutDatabase(context);
  await registry.stop();
  await registry.started;
  await expect(get("/livez")).rejects.toThrow("fetch failed");
});

test("stays ready and fails calls with UNAVAILABLE while the database is unavailable, and then serves calls again", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  const { host } = new URL(database.uri);
  const proxy = await startCutProxy(host, context.onTestFinished);
  const behindProxy = { ...database, uri: database.uri.replace(host, proxy.address) };
  const registry = await openTestRegistry({ database: behindProxy }, context.onTestFinished);
  const status = async (path: string) => (await fetch(`${registry.operationsUrl}${path}`)).status;
  await createTestStore(registry);

  proxy.cut();
  await expect(registry.admin.listStores({})).rejects.toMatchObject({ code: Code.Unavailable });
  expect([await status("/readyz"), await status("/livez")]).toEqual([200, 200]);
  proxy.heal();
  await createTestStore(registry);
});
