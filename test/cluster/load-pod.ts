import { readFile } from "node:fs/promises";
import { z } from "zod";
import { eventually } from "../harness/eventually.ts";
import type { Cluster } from "./cluster.ts";
import { applyConfigMap, startOperatorPod } from "./operator-pod.ts";

const pod = "load";
const counts = z.object({ sent: z.int(), failed: z.int() });
const failure = z.object({ at: z.string(), failure: z.string() });

/** Starts a pod that lists certificates continuously, and waits for its first requests. */
export async function startLoad(cluster: Cluster): Promise<void> {
  const script = await readFile(new URL("list-continuously.mjs", import.meta.url), "utf8");
  await applyConfigMap(cluster, pod, { "list-continuously.mjs": script });
  const volume = { name: "script", configMap: { name: pod } };
  const mounts = [{ mountPath: "/script", volume }];
  await startOperatorPod(cluster, { name: pod, script: "/script/list-continuously.mjs", mounts });
  await eventually(
    async () => {
      if ((await readLoad(cluster)).sent === 0) throw new Error("the load pod has sent no request");
    },
    { withinMs: 60_000, everyMs: 1_000 },
  );
}

/** Runs certctl in the load pod. @returns its output @throws Error when certctl fails */
export function runCertctl(cluster: Cluster, ...args: readonly string[]): Promise<string> {
  return cluster.kubectl("exec", pod, "--", "node", "/app/services/cli/main.ts", ...args);
}

/** Reads the load pod's requests so far from its log. */
export async function readLoad(cluster: Cluster) {
  const lines = (await cluster.kubectl("logs", pod)).split("\n").filter((line) => line.startsWith("{"));
  const entries = lines.map((line): unknown => JSON.parse(line));
  const last = entries.map((entry) => counts.safeParse(entry)).findLast(({ success }) => success)?.data;
  const failures = entries.flatMap((entry) => failure.safeParse(entry).data ?? []);
  return { sent: last?.sent ?? 0, failures: failures.map(({ at, failure }) => `${at} ${failure}`) };
}
