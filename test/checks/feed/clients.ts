import { ownerEmails } from "../runner/checked-store.ts";
import { choicesOf } from "../runner/choices.ts";
import type { Tally } from "../runner/tally.ts";
import { FeedClient } from "./client.ts";
import type { FeedStore } from "./feed-store.ts";
import { pagesOf } from "./list-page.ts";
import type { VersionFilter } from "./version.ts";

/** What {@link createClients} works with. */
export interface ClientsSetup {
  readonly count: number;
  readonly seed: number;
  readonly stores: readonly FeedStore[];
  readonly edgeUrls: readonly string[];
  readonly tally: Tally;
}

const limits = [1, 3, 10, 25, 50, 75, 100, 100] as const;

/** The first client of each store reads all of it; what the others ask for is chosen at random. */
export function createClients(setup: ClientsSetup): FeedClient[] {
  const { count, seed, stores, edgeUrls, tally } = setup;
  return Array.from({ length: count }, (_, index) => {
    const store = stores[index % stores.length] as FeedStore;
    const name = `client-${index + 1}`;
    const random = choicesOf(seed, name);
    const isFirst = index < stores.length;
    const filters: VersionFilter[] = [
      {},
      { status: "active" },
      { status: "revoked" },
      { email: random.pick(ownerEmails).toUpperCase() },
    ];
    return new FeedClient({
      name,
      storeId: store.id,
      filter: isFirst ? {} : random.pick(filters),
      limit: isFirst ? 100 : random.pick(limits),
      joinsAt: isFirst ? 0 : random.below(60) / 100,
      edges: edgeUrls.map((url) => pagesOf(url, store.apiKey)),
      random,
      tally,
    });
  });
}
