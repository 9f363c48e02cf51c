/** How many requests an edge has served, by status. */
export type ServedRequests = Readonly<Record<string, number>>;

const line = /^edge_http_request_duration_seconds_count\{[^}]*status="(\w+)"[^}]*\} (\d+)$/gm;

/** Asks the edge itself: what it counted is what came over the wire. */
export async function readServedRequests(metricsUrl: string): Promise<ServedRequests> {
  const response = await fetch(metricsUrl, { signal: AbortSignal.timeout(10_000) });
  const served: Record<string, number> = {};
  for (const [, status = "", count] of (await response.text()).matchAll(line))
    served[status] = (served[status] ?? 0) + Number(count);
  return served;
}

/** All of them. */
export function countAll(served: ServedRequests): number {
  return Object.values(served).reduce((sum, count) => sum + count, 0);
}

/** Those that failed on our side: 5xx. */
export function countServerErrors(served: ServedRequests): number {
  return countAll(Object.fromEntries(Object.entries(served).filter(([status]) => status.startsWith("5"))));
}
