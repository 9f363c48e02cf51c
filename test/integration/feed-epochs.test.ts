import { expect, test } from "vitest";
import { MemoryStore, RegistryClient, sync } from "../../services/client/index.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { issueOne } from "../harness/issue-items.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const edge = await openTestEdge({ registryAddress: registry.address });

test("a copy that is continued with the key of another store has that store's certificates and no others", async () => {
  const [earlier, later] = [await createKeyedStore(registry), await createKeyedStore(registry)];
  // Issued first, so that it is older than the position of the other store's copy.
  const wanted = await issueOne(registry, earlier.storeId);
  await issueOne(registry, later.storeId);
  const copy = new MemoryStore();
  const follow = ({ apiKey }: typeof earlier) =>
    sync(new RegistryClient({ baseUrl: `http://127.0.0.1:${edge.port}`, apiKey }), copy);

  await follow(later);
  expect(await follow(later)).toEqual({ read: 0, removed: 0, wasRestored: false });
  expect(await follow(earlier)).toEqual({ read: 1, removed: 1, wasRestored: true });
  expect(copy.certificates.map(({ id }) => id)).toEqual([wanted]);
});
