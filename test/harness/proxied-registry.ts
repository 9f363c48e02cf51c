import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import { type DatabaseProxy, startDatabaseProxy } from "./database-proxy.ts";
import { openTestRegistry, type TestRegistry, type TestRegistryOptions } from "./registry-fixture.ts";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";

/** A registry that reaches its database through a proxy. */
interface ProxiedRegistry extends TestRegistry {
  readonly proxy: DatabaseProxy;
  /** The registry's database; this connection bypasses the proxy. */
  readonly database: TestDatabase;
}

/**
 * Starts a registry, a new database and a proxy between the two.
 *
 * @param onEnd registers the functions that stop them. Default: {@link atEnd}
 */
export async function openProxiedRegistry(
  options: Omit<TestRegistryOptions, "database"> = {},
  onEnd: (close: () => Promise<void>) => void = atEnd,
): Promise<ProxiedRegistry> {
  const database = await openTestDatabase(onEnd);
  const proxy = await startDatabaseProxy(database.uri, onEnd);
  // Stops first, because without its database it would wait for the driver's timeouts.
  const registry = await openTestRegistry({ ...options, database: { ...database, uri: proxy.uri } }, onEnd);
  return { ...registry, database, proxy };
}
