import { afterAll } from "vitest";
import { type DatabaseProxy, startDatabaseProxy } from "./database-proxy.ts";
import { startTestRegistry, type TestRegistry } from "./registry-fixture.ts";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";

/** A registry that reaches its database through a proxy. */
export interface ProxiedRegistry extends TestRegistry {
  readonly proxy: DatabaseProxy;
  /** The registry's database; this connection bypasses the proxy. */
  readonly database: TestDatabase;
}

/**
 * Starts a registry with a new database and a proxy between the two, and stops all three after the tests of the file.
 *
 * @param env variables of services/registry/config.ts to add or override
 */
export async function openProxiedRegistry(env: Readonly<Record<string, string>> = {}): Promise<ProxiedRegistry> {
  const database = await openTestDatabase();
  const proxy = await startDatabaseProxy(database.uri);
  const registry = await startTestRegistry({ database: { ...database, uri: proxy.uri }, env });
  afterAll(async () => {
    // The registry stops first, because without its database it would wait for the driver's timeouts.
    await registry.stop();
    await proxy.close();
    await database.close();
  });
  return { ...registry, database, proxy };
}
