import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { messageOf } from "../../deploy/local/servers/setup-error.ts";
import { findHelm } from "../checks/chart/tools/helm.ts";
import { Cluster } from "./cluster.ts";
import { story } from "./story.ts";

const usage = `npm run test:cluster -- [--values <file>]… [--image <name>]… [--keep]

Installs the chart in the cluster of KUBECONFIG, in the namespace cluster-test, sends webhooks to a receiver in a pod,
and runs list requests while pods are restarted, upgraded, rolled back, scaled and evicted. Then it deletes the database
and restores it from a backup. Needs kubectl.

  --values <file>  values for this cluster, such as image.repository
  --keep           leave the namespace in place, for example to look at a failure
  --image <name>   image to load first with the command in LOAD_IMAGES, such as "kind load docker-image"
`;

const ownValues = fileURLToPath(new URL("values.yaml", import.meta.url));
const print = (line: string) => void process.stdout.write(`${line}\n`);

/** Runs the steps of story.ts on a real cluster. @returns the exit code: 0 if each step passed, otherwise 1 */
export async function runClusterTest(args: string[]): Promise<number> {
  const options = {
    values: { type: "string", multiple: true },
    image: { type: "string", multiple: true },
    keep: { type: "boolean" },
    help: { type: "boolean" },
  } as const;
  const { values = [], image = [], keep, help } = parseArgs({ args, options }).values;
  if (help) {
    print(usage);
    return 0;
  }
  const { LOAD_IMAGES } = process.env;
  if (!LOAD_IMAGES && image.length > 0) throw new Error("--image needs LOAD_IMAGES, the command that loads an image.");
  // Run by a shell, because LOAD_IMAGES may contain arguments.
  if (LOAD_IMAGES && image.length > 0) await execa("sh", ["-c", `${LOAD_IMAGES} "$@"`, "sh", ...image]);
  const helm = await findHelm({ env: process.env, log: print, signal: undefined });
  const cluster = new Cluster(helm, [ownValues, ...values]);
  let passed = 0;
  try {
    for (const { name, run } of story) {
      const startedAt = performance.now();
      await run(cluster);
      passed += 1;
      print(`ok      ${name} (${Math.round((performance.now() - startedAt) / 1_000)} s)`);
    }
  } catch (error) {
    print(`FAILED  ${story[passed]?.name}\n        ${messageOf(error)}`);
  } finally {
    if (!keep) await cluster.remove();
  }
  print(`${passed} of ${story.length} steps passed`);
  return passed === story.length ? 0 : 1;
}
