import { execa } from "execa";
import { Cluster, release, selectorOf } from "./cluster.ts";

const cronJob = Cluster.nameOf("backup");
const database = Cluster.nameOf("mongodb");
const registry = Cluster.nameOf("registry");
const limit = "--timeout=180s";

/**
 * Creates a Job from the backup's CronJob and waits until it completes.
 *
 * @param args arguments instead of those of the CronJob
 * @returns the log
 * @throws Error with the log when the Job does not complete within three minutes
 */
async function runJob(cluster: Cluster, name: string, args?: readonly string[]): Promise<string> {
  const template = { spec: { containers: [{ name: "backup", args }] } };
  const spec = { activeDeadlineSeconds: null, backoffLimit: 0, template };
  const patch = { metadata: { ownerReferences: null }, spec };
  // Uses the commands of deploy/operations/restore.md, so that the test covers them.
  const command = [
    `kubectl create job ${name} --namespace ${release} --from cronjob/${cronJob} --dry-run=client --output json`,
    ...(args === undefined ? [] : [`kubectl patch --local -f - -o json -p '${JSON.stringify(patch)}'`]),
    "kubectl apply -f -",
  ].join(" | ");
  await execa("sh", ["-c", command], { timeout: 60_000 });
  try {
    await cluster.kubectl("wait", "--for=condition=complete", `job/${name}`, limit);
  } catch (cause) {
    throw new Error(`the job ${name} did not complete: ${await cluster.kubectl("logs", `job/${name}`)}`, { cause });
  }
  return cluster.kubectl("logs", `job/${name}`);
}

async function scale(cluster: Cluster, kind: "deployment" | "statefulset", name: string, replicas: number) {
  await cluster.kubectl("scale", `${kind}/${name}`, `--replicas=${replicas}`);
  await cluster.kubectl("rollout", "status", `${kind}/${name}`, limit);
}

/** Saves a backup, deletes the database with its volume, and restores the backup while edges and notifiers run. */
export async function loseAndRestore(cluster: Cluster): Promise<void> {
  const saved = await runJob(cluster, "save");
  const folder = /the backup in (\S+) contains/.exec(saved)?.[1];
  if (folder === undefined) throw new Error(`the backup names no folder:\n${saved}`);
  await scale(cluster, "deployment", registry, 0);
  await scale(cluster, "statefulset", database, 0);
  // A registry that is still stopping could write to the new database.
  for (const component of ["registry", "mongodb"])
    await cluster.kubectl("wait", "--for=delete", "pod", "--selector", selectorOf(component), limit);
  await cluster.kubectl("delete", "persistentvolumeclaim", `data-${database}-0`);
  await scale(cluster, "statefulset", database, 1);
  await runJob(cluster, "restore", ["restore", "--folder", folder, "--skip-serials", "1000"]);
  await scale(cluster, "deployment", registry, 2);
}
