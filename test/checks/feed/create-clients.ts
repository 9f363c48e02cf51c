import { ownerNames, personNamed } from "../../harness/lifecycle-cases.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import type { AcknowledgedChanges } from "../runner/acknowledged-changes.ts";
import type { Counter } from "../runner/counter.ts";
import type { StoreWithKey } from "../runner/workload-store.ts";
import type { VersionFilter } from "./certificate-version.ts";
import { FeedClient } from "./feed-client.ts";
import { pagesOf } from "./list-page.ts";

interface ClientsSetup {
  /** Number of clients: at least one per store. */
  readonly count: number;
  readonly seed: number;
  readonly stores: readonly StoreWithKey[];
  readonly edgeUrls: readonly string[];
  readonly acknowledged: AcknowledgedChanges;
  readonly replies: Counter;
}

const limits = [1, 3, 10, 25, 50, 75, 100, 100] as const;

/** Creates clients: the first of each store copies the whole store; the others use random filters and page sizes. */
export function createClients({ count, seed, stores, edgeUrls, acknowledged, replies }: ClientsSetup): FeedClient[] {
  return Array.from({ length: count }, (_, index) => {
    const store = stores[index % stores.length] as StoreWithKey;
    const name = `client-${index + 1}`;
    const random = actorRandom(seed, name);
    const isFirst = index < stores.length;
    const filters: VersionFilter[] = [
      {},
      { status: "active" },
      { status: "revoked" },
      { email: personNamed(random.pick(ownerNames)).email.toUpperCase() },
    ];
    return new FeedClient({
      name,
      storeId: store.id,
      filter: isFirst ? {} : random.pick(filters),
      limit: isFirst ? 100 : random.pick(limits),
      joinsAt: isFirst ? 0 : random.below(60) / 100,
      edges: edgeUrls.map((url) => pagesOf(url, store.apiKey)),
      random,
      changes: () => acknowledged.byStore.get(store.id)?.length ?? 0,
      replies,
    });
  });
}
