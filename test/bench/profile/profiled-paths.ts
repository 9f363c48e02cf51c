import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "../../harness/in-store.ts";
import type { Side } from "../alternate.ts";
import { paths } from "../arrivals.ts";
import type { BenchStack } from "../bench-stack.ts";
import { createListedStores, edgeRequest } from "../parts/list-requests.ts";
import { edgeSide } from "../parts/list-sides.ts";
import { serviceSide } from "../parts/sides.ts";
import { createStores, createTargets, issueIn } from "../parts/stores.ts";
import { notifierSide } from "../parts/webhook-backlog.ts";
import type { PathName } from "./options.ts";

/** A hot path, the services that take part in it, and the benchmark's load for it. */
interface ProfiledPath {
  readonly services: readonly ("edge" | "registry" | "notifier")[];
  /** Name of a unit of the load in the singular, such as `page`. */
  readonly unit: string;
  /** Maximum length of a round in seconds, for a load that processes a prepared backlog. Default: no limit. */
  readonly secondsMax?: number;
  open(stack: BenchStack, stores: number): Promise<Side>;
}

const certificatesOfStore = 60;
// With fewer stores, a key would exceed its budget of refused requests and get 429 instead of 403.
const storesWithoutPlan = 100;

export const profiledPaths: Readonly<Record<PathName, ProfiledPath>> = {
  list: {
    services: ["edge", "registry"],
    unit: "page",
    open: (stack, count) => listSide(stack, "list", count, () => "limit=50"),
  },
  poll: {
    services: ["edge", "registry"],
    unit: "poll that finds nothing",
    open: (stack, count) => {
      const since = () => `updated_since=${encodeURIComponent(new Date().toISOString())}`;
      return listSide(stack, "poll", count, since);
    },
  },
  refusal: {
    services: ["edge", "registry"],
    unit: "refusal for the plan",
    open: async (stack) => {
      const stores = await createListedStores(stack, storesWithoutPlan, 1);
      for (const { storeId } of stores) await stack.registry.admin.setPlan({ plan: Plan.BASIC }, inStore(storeId));
      await stack.deliveries.pause();
      const requests = stores.map(({ apiKey }) => edgeRequest(apiKey, "limit=50"));
      return edgeSide(stack, "refusal", requests, { status: 403 });
    },
  },
  change: {
    services: ["registry"],
    unit: "change",
    open: async (stack, count) => {
      const targets = [];
      for (const storeId of await createStores(stack, count))
        targets.push({ storeId, certificateIds: await issueIn(stack, storeId, certificatesOfStore) });
      const setup = { registry: stack.registryTarget, targets };
      return serviceSide(stack, "registry-transfers.ts", setup, "deliver");
    },
  },
  delivery: {
    services: ["notifier", "registry"],
    unit: "delivery",
    // A busy machine needs several times as long for the backlog, and a round must end within a minute.
    secondsMax: 2,
    open: async (stack, count) => {
      const targets = await createTargets(stack, count, stack.arrivals.urlOf(paths.notifier));
      await stack.deliveries.whenSettled();
      await stack.arrivals.collect(0);
      return notifierSide(stack, targets);
    },
  },
};

async function listSide(stack: BenchStack, name: string, count: number, query: () => string): Promise<Side> {
  const stores = await createListedStores(stack, count, certificatesOfStore);
  await stack.deliveries.pause();
  const requests = stores.map(({ apiKey }) => edgeRequest(apiKey, query()));
  return edgeSide(stack, name, requests);
}
