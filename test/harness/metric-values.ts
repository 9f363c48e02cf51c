/**
 * Reads a metric from an operations port. Returns its values by their labels, such as `status="200"`; a value without
 * labels has the key `""`.
 */
export async function metricValues(operationsUrl: string, name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${operationsUrl}/metrics`)).text();
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, "gm"));
  return Object.fromEntries(Array.from(lines, ([, labels = "", value]) => [labels, Number(value)]));
}
