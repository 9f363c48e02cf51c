import { inStore } from "../../harness/in-store.ts";
import { paths } from "../arrivals.ts";
import type { WorkerTarget } from "../loads/transfer-workers.ts";
import type { Part } from "./part.ts";
import { createStores, issueIn } from "./stores.ts";
import { measureBacklog } from "./webhook-backlog.ts";
import { measureLatency } from "./webhook-latency.ts";

const certificatesOfStore = 20;

/** Measures the rate, CPU time and latency of deliveries to a receiver on this machine. */
export const measureWebhooks: Part = async (stack, options, signal) => {
  const url = stack.arrivals.urlOf(paths.notifier);
  const storeIds = await createStores(stack, options.stores);
  const targets: WorkerTarget[] = [];
  for (const storeId of storeIds) {
    targets.push({ storeId, certificateIds: await issueIn(stack, storeId, certificatesOfStore) });
    await stack.registry.admin.setWebhook({ url, createSecret: true }, inStore(storeId));
  }
  await stack.deliveries.whenSettled();
  await stack.arrivals.collect(0);
  const backlog = await measureBacklog(stack, storeIds, options, signal);
  const latency = await measureLatency(stack, targets, options);
  return { backlog, latency };
};
