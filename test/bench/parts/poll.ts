import { type BenchStack, rateLimit, type StackVariables } from "../bench-stack.ts";
import type { BenchOptions } from "../options.ts";
import { bareRequest, createListedStores, edgeRequest, type ListedStore } from "./list-requests.ts";
import { bareSide, costsOf, edgeSide, startBare } from "./list-sides.ts";
import { compareSides, type Finding, type Part } from "./part.ts";

// The stores of a poll are ten times as many as those of other parts: most clients ask once a minute.
const storesFactor = 10;
const certificatesOfStore = 5;

/** A window of one second, which the requests of one key do not fill. */
export const secondWindow: StackVariables = { registry: { REGISTRY_RATE_LIMIT_WINDOW_MS: "1000" } };

/** A store to poll, and the times of its changes, in order. */
interface PolledStore extends ListedStore {
  readonly times: readonly Date[];
}

/**
 * Compares polls with `updated_since` through the edge and the registry with a bare process that makes one find and one
 * durable write per request. `hot_key` sends all requests with one key, so that its store's window holds many
 * admissions.
 */
export const measurePoll: Part = async (stack, options, signal) => {
  const stores = await createPolledStores(stack, storesFactor * options.stores);
  await stack.deliveries.pause();
  const bare = await startBare(stack);
  const poll = (title: string, of: readonly PolledStore[], count: number) =>
    compareOn(stack, { title, bare, options, signal }, of, count);
  const hot = stores.slice(0, 1);
  return {
    nothing: await poll(`poll: no certificates, ${stores.length} stores`, stores, 0),
    one: await poll(`poll: one certificate, ${stores.length} stores`, stores, 1),
    five: await poll(`poll: five certificates, ${stores.length} stores`, stores, certificatesOfStore),
    hot_key: await poll(`poll: one certificate, one key, at most ${rateLimit}/s`, hot, 1),
  };
};

interface Comparing {
  readonly title: string;
  readonly bare: Awaited<ReturnType<typeof startBare>>;
  readonly options: BenchOptions;
  readonly signal: AbortSignal;
}

async function compareOn(
  stack: BenchStack,
  { title, bare, options, signal }: Comparing,
  stores: readonly PolledStore[],
  count: number,
): Promise<Finding> {
  const polls = stores.map(({ storeId, apiKey, times }) => {
    // `updated_since` selects later changes.
    const since = times.at(-1 - count) ?? new Date(0);
    return { storeId, apiKey, since: encodeURIComponent(since.toISOString()) };
  });
  const edgeRequests = polls.map(({ apiKey, since }) => edgeRequest(apiKey, `updated_since=${since}`));
  const bareRequests = polls.map(({ storeId, since }) => bareRequest(storeId, `limit=50&counted&cursor=${since}`));
  const sides = [edgeSide(stack, "service", edgeRequests), bareSide(stack, bare, bareRequests)];
  return compareSides(title, sides, options, signal, costsOf);
}

async function createPolledStores(stack: BenchStack, count: number): Promise<PolledStore[]> {
  const stores = await createListedStores(stack, count, certificatesOfStore);
  const found = await stack.collections.certificates
    .find({}, { projection: { store: 1, updatedAt: 1 } })
    .sort({ store: 1, updatedAt: 1 })
    .toArray();
  const ofStore = Map.groupBy(found, ({ store }) => store);
  return stores.map((store) => {
    const times = (ofStore.get(store.storeId) ?? []).map(({ updatedAt }) => updatedAt);
    return { ...store, times };
  });
}
