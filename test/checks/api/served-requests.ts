import { sum } from "../../harness/statistics.ts";
import { StallWatch } from "../runner/stall-watch.ts";

/** Number of requests that an edge has handled, by status; `aborted` if the client disconnected before the response. */
export type ServedRequests = Readonly<Record<string, number>>;

const line = /^edge_http_request_duration_seconds_count\{[^}]*status="(\w+)"[^}]*\} (\d+)$/gm;

/** Reads the counts from the edge's metrics, summed over routes and methods. */
export async function readServedRequests(metricsUrl: string): Promise<ServedRequests> {
  const response = await fetch(metricsUrl, { signal: AbortSignal.timeout(10_000) });
  const served: Record<string, number> = {};
  for (const [, status = "", count] of (await response.text()).matchAll(line))
    served[status] = (served[status] ?? 0) + Number(count);
  return served;
}

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
