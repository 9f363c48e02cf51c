import { paths } from "../arrivals.ts";
import type { Part } from "./part.ts";
import { createTargets } from "./stores.ts";
import { measureBacklog } from "./webhook-backlog.ts";
import { measureLatency } from "./webhook-latency.ts";

/** Measures the rate, CPU time and latency of deliveries to a receiver on this machine. */
export const measureWebhooks: Part = async (stack, options, signal) => {
  const targets = await createTargets(stack, options.stores, stack.arrivals.urlOf(paths.notifier));
  await stack.deliveries.whenSettled();
  await stack.arrivals.collect(0);
  const backlog = await measureBacklog(stack, targets, options, signal);
  const latency = await measureLatency(stack, targets, options);
  return { backlog, latency };
};
