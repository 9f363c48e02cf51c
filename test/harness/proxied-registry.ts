import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import { startDatabaseProxy } from "./database-proxy.ts";
import { openTestRegistry, type TestRegistryOptions } from "./registry-fixture.ts";
import { openTestDatabase } from "./test-database.ts";

/**
 * Starts a registry, a new database and a proxy between the two.
 *
 * @param onEnd registers the functions that stop them. Default: {@link atEnd}
 */
export async function openProxiedRegistry(
  options: Omit<TestRegistryOptions, "database"> = {},
  onEnd: (close: () => Promise<void>) => void = atEnd,
) {
  const database = await openTestDatabase(onEnd);
  const proxy = await startDatabaseProxy(database.uri, onEnd);
  // Stops first, because without its database it would wait for the driver's timeouts.
  const registry = await openTestRegistry({ ...options, database: { ...database, uri: proxy.uri } }, onEnd);
  return { ...registry, database, proxy };
}
