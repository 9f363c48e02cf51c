/** What a metric is at a service's operations port, by its labels as they are written there; empty where it has none. */
export async function metricValues(operationsUrl: string, name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${operationsUrl}/metrics`)).text();
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, "gm"));
  return Object.fromEntries(Array.from(lines, ([, labels = "", value]) => [labels, Number(value)]));
}
