import { setTimeout as delay } from "node:timers/promises";
import { inStore } from "../../harness/in-store.ts";
import { paths } from "../arrivals.ts";
import { type BenchStack, rateLimit } from "../bench-stack.ts";
import { listsPerSecond } from "../memory/list-rate.ts";
import { memoryTrend } from "../memory/memory-trend.ts";
import { sampleMemorySeries } from "../memory/sample-memory.ts";
import { edgeRequest } from "./list-requests.ts";
import { figuresOnly, type Part } from "./part.ts";
import { openLoad } from "./sides.ts";
import { createTargets } from "./stores.ts";

const serviceNames = ["edge", "registry", "notifier"] as const;
const storesMax = 40;
// V8's young generation grows in steps that depend on the allocation rate. At 200 pages per second, it reaches its full
// size within four minutes; at 60, not even within half an hour.
const listsPerSecondMax = 200;
const changesPerSecond = 100;
const logEveryMinutes = 5;
// Runs of fewer minutes end while the services are still warming up, so their growth is not evaluated.
const judgedFromMinutes = 10;
// Time for the events of the new certificates to be processed, so that they do not affect the measurement.
const settleMs = 5_000;

/**
 * Measures the memory of each service under a constant load of pages and of changes with webhooks. The growth is the
 * slope of a line through the second half of the samples, in MiB per minute: of the resident memory (`rss`), and of the
 * heap after garbage collections (`heap`). `flat` is 1 if no service's resident memory grew by more than noise, 0
 * otherwise, and NaN for runs shorter than ten minutes, which is not recorded.
 */
export const measureMemory: Part = async (stack, { minutes, stores }, signal) => {
  const targets = await createTargets(stack, Math.min(stores, storesMax), stack.arrivals.urlOf(paths.notifier));
  const requests: string[] = [];
  for (const { storeId } of targets) {
    const { apiKey } = await stack.registry.admin.createApiKey({ label: "bench" }, inStore(storeId));
    requests.push(edgeRequest(apiKey, "limit=50"));
  }
  const perSecond = listsPerSecond(targets.length, rateLimit, listsPerSecondMax);
  const setup = { port: stack.edge.port, connections: 16, requests, status: 200, mayRefuse: true, perSecond };
  const lists = await openLoad(stack, "http-requests.ts", setup);
  const transfers = { registry: stack.registryTarget, targets, perSecond: changesPerSecond };
  const changes = await openLoad(stack, "registry-transfers.ts", transfers);
  await delay(settleMs, undefined, { signal });
  const done = new AbortController();
  const series = serviceNames.map((name) => sampleMemorySeries(observed(stack, name), done.signal));
  let pageCount = 0;
  let changeCount = 0;
  let elapsed = 0;
  while (elapsed < minutes) {
    signal.throwIfAborted();
    const step = Math.min(minutes - elapsed, 0.5);
    const [pages, changed] = await Promise.all([lists.round(step * 60_000), changes.round(step * 60_000)]);
    pageCount += pages.units;
    changeCount += changed.units;
    // Empties the receiver's list of messages.
    await stack.arrivals.collect(0);
    if (Math.floor((elapsed + step) / logEveryMinutes) > Math.floor(elapsed / logEveryMinutes))
      stack.log(`  ${(elapsed + step).toFixed(1)} of ${minutes} minutes`);
    elapsed += step;
  }
  done.abort();
  const seconds = minutes * 60;
  const numbers: Record<string, number> = {
    pages_per_second: pageCount / seconds,
    changes_per_second: changeCount / seconds,
  };
  let isFlat = true;
  for (const [index, name] of serviceNames.entries()) {
    const sampled = await series[index];
    for (const kind of ["rss", "heap"] as const) {
      const trend = memoryTrend(sampled?.[kind] ?? []);
      numbers[`${name}_${kind}_mb`] = trend.mean;
      numbers[`${name}_${kind}_slope`] = trend.slope;
      numbers[`${name}_${kind}_slope_error`] = trend.standardError;
      // Only the resident memory counts; the heap helps to explain its growth.
      if (kind === "rss") isFlat &&= trend.isFlat;
    }
  }
  const load = `${perSecond} pages/s and ${changesPerSecond} changes/s`;
  const title = `memory: MiB and growth in MiB per minute over ${minutes} minutes of ${load}`;
  const judged = minutes < judgedFromMinutes ? Number.NaN : Number(isFlat);
  return { load: figuresOnly(title, { flat: judged, ...numbers }) };
};

function observed({ edge, pids, metricsUrls }: BenchStack, name: (typeof serviceNames)[number]) {
  return { pid: name === "edge" ? edge.pid : pids[name], metricsUrl: metricsUrls[name] };
}
