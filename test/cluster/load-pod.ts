import { readFile } from "node:fs/promises";
import { z } from "zod";
import { Cluster, release } from "./cluster.ts";

const pod = "load";
const counts = z.object({ sent: z.int(), failed: z.int() });
const failure = z.object({ at: z.string(), failure: z.string() });

/** List requests from a pod of the cluster: how many were sent, and those that failed. */
export interface LoadCounts {
  readonly sent: number;
  readonly failures: readonly string[];
}

/** Starts a pod that lists certificates continuously, and waits until it has sent requests. */
export async function startLoad(cluster: Cluster): Promise<void> {
  const script = await readFile(new URL("list-continuously.mjs", import.meta.url), "utf8");
  await cluster.apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: pod },
    data: { "list-continuously.mjs": script },
  });
  const labels = {
    "app.kubernetes.io/name": "certificate-registry",
    "app.kubernetes.io/instance": release,
    "app.kubernetes.io/component": "certctl",
  };
  const test = await cluster.kubectl(
    "get",
    "pod",
    Cluster.nameOf("test"),
    "--output",
    "jsonpath={.spec.containers[0].image}",
  );
  const env = {
    CERTCTL_REGISTRY: `${Cluster.nameOf("registry")}:9090`,
    EDGE_URL: `http://${Cluster.nameOf("edge")}`,
  };
  const container = {
    name: "load",
    image: test,
    command: ["node", "/script/list-continuously.mjs"],
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    volumeMounts: [{ name: "script", mountPath: "/script" }],
  };
  const volumes = [{ name: "script", configMap: { name: pod } }];
  const spec = { restartPolicy: "Never", terminationGracePeriodSeconds: 1, containers: [container], volumes };
  await cluster.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: pod, labels }, spec });
  await cluster.kubectl("wait", "--for=condition=Ready", `pod/${pod}`, "--timeout=60s");
}

/** Reads the requests so far from the pod's log. */
export async function readLoad(cluster: Cluster): Promise<LoadCounts> {
  const lines = (await cluster.kubectl("logs", pod)).split("\n").filter((line) => line.startsWith("{"));
  const entries = lines.map((line): unknown => JSON.parse(line));
  const last = entries.map((entry) => counts.safeParse(entry)).findLast(({ success }) => success)?.data;
  const failures = entries.flatMap((entry) => failure.safeParse(entry).data ?? []);
  return { sent: last?.sent ?? 0, failures: failures.map(({ at, failure }) => `${at} ${failure}`) };
}
