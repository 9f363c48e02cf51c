import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { type Endpoint, endpoints, otherPorts, portsOf } from "./connections.ts";
import type { KubernetesObject } from "./helm-chart.ts";

const isComponent = ({ name }: Endpoint) =>
  ["edge", "registry", "notifier", "mongodb", "nats", "backup"].includes(name);

/** Returns the connections that the policies could affect: those from or to a pod of the chart. */
function connections() {
  return endpoints.flatMap((source) =>
    endpoints
      .filter((destination) => destination !== source && (isComponent(source) || isComponent(destination)))
      .flatMap((destination) =>
        (portsOf[destination.name] ?? otherPorts).map((port) => ({ source, destination, port })),
      ),
  );
}

/** Converts an endpoint to a source or destination in cyclonus's traffic file. */
function peer({ ip, pod }: Endpoint) {
  if (pod === undefined) return { IP: ip };
  const NamespaceLabels = { "kubernetes.io/metadata.name": pod.namespace };
  return { IP: ip, Internal: { PodLabels: pod.labels, NamespaceLabels, Namespace: pod.namespace } };
}

/**
 * Evaluates the NetworkPolicies in `objects` for every connection from or to a pod of the chart.
 *
 * @param folder an empty folder
 * @returns the allowed connections, as `<source> → <destination>:<port>/<protocol>`
 * @throws Error when cyclonus does not return a verdict for every connection
 */
export async function allowedConnections(
  cyclonus: string,
  objects: readonly KubernetesObject[],
  folder: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const policies = path.join(folder, "policies");
  await mkdir(policies);
  // Cyclonus reads one policy per file. Policies of `helm test` are omitted: they exist only while it runs.
  const lasting = objects.filter(({ kind, metadata }) => kind === "NetworkPolicy" && !isHook(metadata));
  for (const [index, policy] of lasting.entries())
    await writeFile(path.join(policies, `${index}.yaml`), JSON.stringify(policy));
  const tried = connections();
  const traffic = tried.map(({ source, destination, port }) => ({
    Source: peer(source),
    Destination: peer(destination),
    Protocol: port.protocol,
    ResolvedPort: port.number,
    ResolvedPortName: port.name,
  }));
  const trafficFile = path.join(folder, "traffic.json");
  await writeFile(trafficFile, JSON.stringify(traffic));
  const args = ["analyze", "--mode", "query-traffic", "--policy-path", policies, "--traffic-path", trafficFile];
  const { stdout } = await execa(cyclonus, args, { timeout: 120_000, cancelSignal: signal });
  const verdicts = [...stdout.matchAll(/IS ALLOWED\? \|\s+(TRUE|FALSE)/g)].map(([, verdict]) => verdict === "TRUE");
  if (verdicts.length !== tried.length)
    throw new Error(`cyclonus decided ${verdicts.length} of ${tried.length} connections`);
  return tried
    .filter((_, index) => verdicts[index])
    .map(
      ({ source, destination, port }) => `${source.name} → ${destination.name}:${port.number}/${port.protocol ?? ""}`,
    );
}

function isHook({ annotations }: KubernetesObject["metadata"]): boolean {
  return typeof annotations === "object" && annotations !== null && "helm.sh/hook" in annotations;
}
