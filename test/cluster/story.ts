import { eventually } from "../harness/eventually.ts";
import { Cluster, release } from "./cluster.ts";
import { readLoad, runCertctl, startLoad } from "./load-pod.ts";
import { loseAndRestore } from "./lose-and-restore.ts";
import { replaceCursorKey, replaceSecretKey } from "./replace-keys.ts";
import { prepareReceiver, tellStory } from "./story-pod.ts";

/** A step of the test, named after the behaviour that it requires. */
export interface Step {
  readonly name: string;
  /** @throws Error when the installation does not behave as required */
  readonly run: (cluster: Cluster) => Promise<void>;
}

const quickly = { withinMs: 20_000, everyMs: 500 };
const services = ["registry", "edge", "notifier"] as const;

function require(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

async function rollOut(cluster: Cluster, component: string): Promise<void> {
  await cluster.kubectl("rollout", "status", `deployment/${Cluster.nameOf(component)}`, "--timeout=180s");
}

/** Runs a change and requires that list requests were sent after its start and that none of them failed. */
async function underLoad(cluster: Cluster, change: () => Promise<void>): Promise<void> {
  const before = await readLoad(cluster);
  await change();
  const after = await eventually(async () => {
    const counts = await readLoad(cluster);
    require(counts.sent > before.sent, "the load pod sent no request");
    return counts;
  }, quickly);
  const failures = after.failures.slice(before.failures.length);
  require(failures.length === 0, `${failures.length} requests failed:\n${failures.slice(0, 5).join("\n")}`);
}

const secretData = (cluster: Cluster) =>
  cluster.kubectl("get", "secret", Cluster.nameOf("secret-keys"), "--output", "jsonpath={.data}");

const listStores = (cluster: Cluster) => runCertctl(cluster, "store", "list");

/** The steps of the test, in order; each starts from the state in which the previous one left the installation. */
export const story: readonly Step[] = [
  {
    name: "installs",
    async run(cluster) {
      await prepareReceiver(cluster);
      await cluster.upgrade();
    },
  },
  { name: "passes helm test", run: async (cluster) => void (await cluster.helm("test", "cluster-test")) },
  { name: "issues, lists, sends webhooks and shows the verification page", run: tellStory },
  { name: "lists under load", run: startLoad },
  ...services.map((service) => ({
    name: `restarts ${service} without a failed request`,
    run: (cluster: Cluster) =>
      underLoad(cluster, async () => {
        await cluster.kubectl("rollout", "restart", `deployment/${Cluster.nameOf(service)}`);
        await rollOut(cluster, service);
      }),
  })),
  {
    name: "upgrades all services without a failed request, and keeps the generated keys",
    run: (cluster) =>
      underLoad(cluster, async () => {
        const keys = await secretData(cluster);
        // Labels of all pods would restart the trial's database too.
        const labels = services.map((service) => `${service}.podLabels.upgraded=yes`);
        await cluster.upgrade("--set", labels.join(","));
        require((await secretData(cluster)) === keys, "the upgrade replaced the generated keys");
      }),
  },
  {
    name: "rolls a broken upgrade back without a failed request",
    run: (cluster) =>
      underLoad(cluster, async () => {
        const broken = cluster.upgrade("--set", "edge.image.tag=missing", "--timeout", "30s", "--rollback-on-failure");
        const refused = await broken.then(
          () => false,
          () => true,
        );
        require(refused, "Helm accepted an image that does not exist");
        await Promise.all(services.map((service) => rollOut(cluster, service)));
      }),
  },
  {
    name: "scales the registry up and down without a failed request, and every edge uses every registry",
    run: (cluster) =>
      underLoad(cluster, async () => {
        for (const replicas of [3, 1, 2]) {
          await cluster.kubectl("scale", `deployment/${Cluster.nameOf("registry")}`, `--replicas=${replicas}`);
          await rollOut(cluster, "registry");
          await eventually(() => requireStreams(cluster, replicas), { withinMs: 120_000, everyMs: 1_000 });
        }
      }),
  },
  {
    name: "evicts one edge at a time, without a failed request",
    run: (cluster) =>
      underLoad(cluster, async () => {
        const pods = await cluster.readyPods("edge");
        const evicted: boolean[] = [];
        for (const pod of pods) evicted.push(await cluster.evict(pod));
        require(evicted.filter(Boolean).length ===
          1, `${evicted.filter(Boolean).length} of ${pods.length} edges were evicted instead of one`);
        // The evicted pod keeps serving until its shutdown delay is over.
        await cluster.kubectl("wait", "--for=delete", `pod/${pods[evicted.indexOf(true)]}`, "--timeout=60s");
        await rollOut(cluster, "edge");
      }),
  },
  {
    name: "drains a node, if pods run on two, without a failed request",
    run: (cluster) => underLoad(cluster, () => drainNode(cluster)),
  },
  {
    name: "replaces the key of cursors without a failed request",
    run: (cluster) => underLoad(cluster, () => replaceCursorKey(cluster)),
  },
  {
    name: "keeps the generated keys and the data when it is uninstalled and installed again",
    run: async (cluster) => {
      const [keys, stores] = [await secretData(cluster), await listStores(cluster)];
      await cluster.helm("uninstall", "cluster-test", "--wait");
      await cluster.upgrade();
      require((await secretData(cluster)) === keys, "the new installation generated other keys");
      require((await listStores(cluster)) === stores, "the new installation does not have the same stores");
    },
  },
  {
    name: "restores a lost database from a backup",
    run: async (cluster) => {
      const stores = await listStores(cluster);
      await loseAndRestore(cluster);
      require((await listStores(cluster)) === stores, "the restored database does not have the same stores as before");
      await tellStory(cluster);
    },
  },
  // The last step, because a new installation would have the generated key again.
  {
    name: "replaces the key of signing secrets without a failed request, and sends webhooks with it",
    run: async (cluster) => {
      await underLoad(cluster, () => replaceSecretKey(cluster));
      await tellStory(cluster);
    },
  },
];

/** Drains a node as deploy/operations/drain.md says, but only of pods that have replicas. */
async function drainNode(cluster: Cluster): Promise<void> {
  const pods = `app.kubernetes.io/instance=${release},app.kubernetes.io/component in (${services.join(",")})`;
  const nodeNames = await cluster.kubectl(
    "get",
    "pods",
    "--selector",
    pods,
    "--output",
    "jsonpath={.items[*].spec.nodeName}",
  );
  // The chart spreads pods over all nodes that admit them.
  const [node = "", other] = new Set(nodeNames.split(" "));
  if (other === undefined) return;
  const options = ["--ignore-daemonsets", "--delete-emptydir-data", "--pod-selector", pods, "--timeout=240s"];
  try {
    await cluster.kubectl("drain", node, ...options);
  } finally {
    await cluster.kubectl("uncordon", node);
  }
  await Promise.all(services.map((service) => rollOut(cluster, service)));
}

/** Requires that each ready edge has as many streams as there are registries. */
async function requireStreams(cluster: Cluster, registries: number): Promise<void> {
  for (const pod of await cluster.readyPods("edge")) {
    const metrics = await cluster.metrics(pod, 9080);
    const streams = Number(/^edge_registry_streams\S* (\d+)$/m.exec(metrics)?.[1]);
    require(streams === registries, `${pod} has ${streams} streams instead of ${registries}`);
  }
}
