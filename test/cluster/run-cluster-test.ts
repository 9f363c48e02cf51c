import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { messageOf } from "../../deploy/local/servers/setup-error.ts";
import { findHelm } from "../checks/chart/tools/helm.ts";
import { Cluster, release } from "./cluster.ts";
import { objectStory } from "./object-story.ts";
import { type Step, story } from "./story.ts";

const usage = `npm run test:cluster -- [--values <file>]… [--image <name>]… [--keep] [--objects]

Installs the chart in the cluster of KUBECONFIG. In the namespace cluster-test-objects, it examines the objects after
upgrades and rollbacks, without waiting for pods. In the namespace cluster-test, it sends webhooks to a receiver in a
pod, and runs list requests while pods are restarted, upgraded, rolled back, scaled and evicted, a node is drained of
them, and keys are replaced. Then it deletes the database and restores it from a backup. Needs kubectl.

  --values <file>  values for this cluster, such as image.repository
  --objects        only the first part, for which an API server without nodes suffices
  --keep           leave the namespace in place, for example to look at a failure
  --image <name>   image to load first with the command in LOAD_IMAGES, such as "kind load docker-image"
`;

const ownValues = fileURLToPath(new URL("values.yaml", import.meta.url));
const print = (line: string) => void process.stdout.write(`${line}\n`);

/**
 * Runs the steps of object-story.ts and story.ts on a real cluster.
 *
 * @returns the exit code: 0 if each step passed, otherwise 1
 */
export async function runClusterTest(args: string[]): Promise<number> {
  const options = {
    values: { type: "string", multiple: true },
    image: { type: "string", multiple: true },
    keep: { type: "boolean" },
    objects: { type: "boolean" },
    help: { type: "boolean" },
  } as const;
  const { values = [], image = [], keep, objects, help } = parseArgs({ args, options }).values;
  if (help) {
    print(usage);
    return 0;
  }
  const { LOAD_IMAGES } = process.env;
  if (!LOAD_IMAGES && image.length > 0) throw new Error("--image needs LOAD_IMAGES, the command that loads an image.");
  // Run by a shell, because LOAD_IMAGES may contain arguments.
  if (LOAD_IMAGES && image.length > 0) await execa("sh", ["-c", `${LOAD_IMAGES} "$@"`, "sh", ...image]);
  const helm = await findHelm({ env: process.env, log: print, signal: undefined });
  const files = [ownValues, ...values];
  const objectCluster = new Cluster(helm, files, `${release}-objects`);
  // The controllers delete the namespace later; without any, it remains.
  const parts = [() => tell(objectStory, objectCluster, () => objectCluster.remove("--wait=false"))];
  const cluster = new Cluster(helm, files);
  if (!objects) parts.push(() => tell(story, cluster, () => (keep ? Promise.resolve() : cluster.remove())));
  for (const part of parts) if (!(await part())) return 1;
  return 0;
}

/** Runs the steps in order until one fails, and then `remove`. @returns whether all passed */
async function tell(steps: readonly Step[], cluster: Cluster, remove: () => Promise<void>): Promise<boolean> {
  let passed = 0;
  try {
    for (const { name, run } of steps) {
      const startedAt = performance.now();
      await run(cluster);
      passed += 1;
      print(`ok      ${name} (${Math.round((performance.now() - startedAt) / 1_000)} s)`);
    }
  } catch (error) {
    print(`FAILED  ${steps[passed]?.name}\n        ${messageOf(error)}`);
  } finally {
    await remove();
  }
  print(`${passed} of ${steps.length} steps passed`);
  return passed === steps.length;
}
