import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createTestStore } from "../harness/test-stores.ts";

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
