import type { WorkerTarget } from "../loads/transfer-workers.ts";
import { paths } from "../receiver/paths.ts";
import { startReceiverProcess } from "../receiver/receiver-process.ts";
import type { Part } from "./part.ts";
import { createStores, issueIn } from "./stores.ts";
import { measureBacklog } from "./webhook-backlog.ts";
import { measureLatency } from "./webhook-latency.ts";

const certificatesOfStore = 20;

/** Messages to a receiver on this machine: how many a second, at what cost, and how soon. */
export const measureWebhooks: Part = async (stack, options, signal) => {
  const receiver = await startReceiverProcess(stack.receiverCertificate);
  stack.onClose(() => receiver.close());
  const url = `https://127.0.0.1:${receiver.port}${paths.notifier}`;
  const storeIds = await createStores(stack, options.stores);
  const targets: WorkerTarget[] = [];
  for (const storeId of storeIds) {
    targets.push({ storeId, certificateIds: await issueIn(stack, storeId, certificatesOfStore) });
    await stack.registry.admin.setWebhook({ storeId, url, createSecret: true });
  }
  await stack.deliveries.whenSettled();
  await receiver.collect(0);
  const backlog = await measureBacklog(stack, receiver, storeIds, options, signal);
  const latency = await measureLatency(stack, receiver, targets, options);
  await receiver.close();
  return { backlog, latency };
};
