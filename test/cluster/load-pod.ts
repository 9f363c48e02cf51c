import { readFile } from "node:fs/promises";
import { z } from "zod";
import { eventually } from "../harness/eventually.ts";
import { Cluster, release } from "./cluster.ts";

const pod = "load";
const counts = z.object({ sent: z.int(), failed: z.int() });
const failure = z.object({ at: z.string(), failure: z.string() });

const json = z.json();
const testPod = z.object({
  spec: z.object({
    securityContext: json,
    containers: z.tuple([
      z.object({ image: z.string(), env: json, securityContext: json, volumeMounts: z.array(json) }),
    ]),
    volumes: z.array(json),
  }),
});

/** The load pod's list requests so far: how many it has sent, and the time and error of each that failed. */
export interface LoadCounts {
  readonly sent: number;
  readonly failures: readonly string[];
}

/** Starts a pod that lists certificates continuously, and waits for its first requests. */
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
  // The load pod inherits the settings of helm test's pod, which may call the registry and the edge.
  const test = await cluster.kubectl("get", "pod", Cluster.nameOf("test"), "--output", "json");
  const { containers, volumes, securityContext } = testPod.parse(JSON.parse(test)).spec;
  const [{ volumeMounts, ...inherited }] = containers;
  const container = {
    ...{ name: "load", ...inherited, command: ["node", "/script/list-continuously.mjs"] },
    volumeMounts: [...volumeMounts, { name: "script", mountPath: "/script" }],
  };
  const scripts = { name: "script", configMap: { name: pod } };
  const spec = {
    ...{ restartPolicy: "Never", terminationGracePeriodSeconds: 1, automountServiceAccountToken: false },
    ...{ securityContext, containers: [container], volumes: [...volumes, scripts] },
  };
  await cluster.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: pod, labels }, spec });
  await eventually(
    async () => {
      if ((await readLoad(cluster)).sent === 0) throw new Error("the load pod has sent no request");
    },
    { withinMs: 60_000, everyMs: 1_000 },
  );
}

/** Reads the load pod's requests so far from its log. */
export async function readLoad(cluster: Cluster): Promise<LoadCounts> {
  const lines = (await cluster.kubectl("logs", pod)).split("\n").filter((line) => line.startsWith("{"));
  const entries = lines.map((line): unknown => JSON.parse(line));
  const last = entries.map((entry) => counts.safeParse(entry)).findLast(({ success }) => success)?.data;
  const failures = entries.flatMap((entry) => failure.safeParse(entry).data ?? []);
  return { sent: last?.sent ?? 0, failures: failures.map(({ at, failure }) => `${at} ${failure}`) };
}
