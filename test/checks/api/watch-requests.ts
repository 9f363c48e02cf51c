import { sum } from "../../harness/statistics.ts";
import { StallWatch } from "../runner/stall-watch.ts";
import { readServedRequests } from "./served-requests.ts";

const stallLimitMs = 180_000;
const readEveryMs = 5_000;

/** Watches the edges' metrics. The returned signal aborts after three minutes without a served request. */
export async function watchRequests(edges: readonly { readonly metricsUrl: string }[]) {
  let requests = 0;
  const read = async () => {
    const counts = await Promise.all(edges.map(({ metricsUrl }) => readServedRequests(metricsUrl)));
    requests = sum(counts.flatMap((served) => Object.values(served)));
  };
  await read();
  // A failed read does not count as progress.
  const timer = setInterval(() => void read().catch(() => undefined), readEveryMs);
  const watch = new StallWatch({ progress: () => requests, limitMs: stallLimitMs });
  return {
    signal: watch.signal,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      watch[Symbol.dispose]();
    },
  };
}
