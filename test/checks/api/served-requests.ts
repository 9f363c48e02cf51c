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
