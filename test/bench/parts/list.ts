import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { admittedAt } from "../../harness/admitted-requests.ts";
import { inStore } from "../../harness/in-store.ts";
import { alternate } from "../alternate.ts";
import { type BenchStack, rateLimit } from "../bench-stack.ts";
import { ratioOf } from "../compare.ts";
import type { BenchOptions } from "../options.ts";
import { compareLatencies } from "./list-latency.ts";
import { bareRequest, createListedStores, edgeRequest, type ListedStore } from "./list-requests.ts";
import { bareSide, connections, costsOf, edgeSide, servicesCpu, startBare } from "./list-sides.ts";
import { compareSides, type Finding, figuresOnly, type Part } from "./part.ts";

const certificatesOfStore = 60;
// Enough that no key exceeds its budget of refusals, beyond which the edge answers 429 instead of 403. Short rounds
// need fewer.
const storesWithoutPlanMax = 100;
const storesWithoutPlanPerSecond = 100;
// More than the largest page.
const certificatesOfLargeStore = 110;

/**
 * Compares list requests through the edge and the registry, which check the API key, the plan and the rate limit, with
 * requests to a bare process that reads the same certificates with the driver and sends them with node:http.
 */
export const measureList: Part = async (stack, options, signal) => {
  const stores = await createListedStores(stack, options.stores, certificatesOfStore);
  const large = await createListedStores(stack, options.stores, certificatesOfLargeStore);
  // The events of the new certificates must not be delivered during the measurement.
  await stack.deliveries.pause();
  const bare = await startBare(stack);
  const pages = async (title: string, of: readonly ListedStore[], limit: number): Promise<Finding> => {
    const requests = of.map(({ storeId }) => bareRequest(storeId, `limit=${limit}`));
    const sides = [pageSide(stack, of, limit), bareSide(stack, bare, requests)];
    return compareSides(`list: ${title} over ${connections} connections`, sides, options, signal, costsOf);
  };
  return {
    page_50: await pages("page size 50, 60 certificates per store,", stores, 50),
    page_1: await pages("page size 1, 110 certificates per store,", large, 1),
    page_100: await pages("page size 100, 110 certificates per store,", large, 100),
    latency: await compareLatencies(stack, { port: bare.port, stores, options, signal }),
    refusals: await measureRefusals(stack, stores, options, signal),
  };
};

function pageSide(stack: BenchStack, stores: readonly ListedStore[], limit: number) {
  const requests = stores.map(({ apiKey }) => edgeRequest(apiKey, `limit=${limit}`));
  return edgeSide(stack, "service", requests);
}

/** Measures the CPU time of refused requests as a share of the CPU time of a page of 50. */
async function measureRefusals(
  stack: BenchStack,
  stores: readonly ListedStore[],
  { rounds, roundMs: durationMs }: BenchOptions,
  signal: AbortSignal,
): Promise<Finding> {
  const count = Math.min(storesWithoutPlanMax, Math.ceil((storesWithoutPlanPerSecond * durationMs) / 1_000));
  const [full, ...withoutPlan] = await createListedStores(stack, 1 + count, 1);
  if (full === undefined) throw new Error("no store was created");
  for (const { storeId } of withoutPlan) await stack.registry.admin.setPlan({ plan: Plan.BASIC }, inStore(storeId));
  const fill = () => {
    const admitted = admittedAt(Array<Date>(rateLimit).fill(new Date()));
    return stack.collections.access.updateOne({ _id: full.storeId }, { $set: { admitted } });
  };
  const of = (name: string, keys: readonly { readonly apiKey: string }[], status: number, query = "limit=50") => {
    const requests = keys.map(({ apiKey }) => edgeRequest(apiKey, query));
    return edgeSide(stack, name, requests, { status });
  };
  const page = await pageSide(stack, stores, 50);
  const refused = await Promise.all([
    of("unauthorized", [{ apiKey: generateApiKey() }], 401),
    of("plan_required", withoutPlan, 403),
    of("rate_limited", [full], 429),
    of("bad_request", stores, 400, "limit=0"),
  ]);
  const prepared = refused.map((side) => (side.name === "rate_limited" ? { ...side, prepare: fill } : side));
  const turns = await alternate([page, ...prepared], { rounds, durationMs, signal });
  await Promise.all([page, ...refused].map((side) => side.close?.()));
  const shares = refused.map(
    ({ name }) => [`cpu_share_${name}`, ratioOf(servicesCpu(turns[name]), servicesCpu(turns.service))] as const,
  );
  return figuresOnly(
    "list: CPU time of a refused request, as a share of that of a page of 50",
    Object.fromEntries(shares),
  );
}
