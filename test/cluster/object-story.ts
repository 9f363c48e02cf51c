import { z } from "zod";
import { Cluster } from "./cluster.ts";
import type { Step } from "./story.ts";

const edge = `deployment/${Cluster.nameOf("edge")}`;
const set = (...values: readonly string[]) => values.flatMap((value) => ["--set", value]);
const autoscaled = (...values: readonly string[]) => set("edge.autoscaling.enabled=true", ...values);

const extended = {
  pods: { podLabels: { tier: "1" }, tolerations: [{ operator: "Exists" }] },
  services: {
    podDisruptionBudget: { maxUnavailable: "25%" },
    autoscaling: { enabled: true, behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } },
    serviceAccount: { annotations: { role: "a" } },
    service: { annotations: { scheme: "internal" } },
    extraEnv: [{ name: "NODE_EXTRA_CA_CERTS", value: "/extra/ca.pem" }],
    extraVolumes: [{ name: "extra", emptyDir: {} }],
    extraVolumeMounts: [{ name: "extra", mountPath: "/extra" }],
    extraContainers: [{ name: "proxy", image: "proxy:1" }],
    extraInitContainers: [{ name: "agent", image: "agent:1", restartPolicy: "Always" }],
  },
  "mongodb.uri": "mongodb://registry:pass-word@db/registry",
  "trial.keepVolumes": false,
  "edge.cursorKeys.existingSecret": "123",
};

const scaled = z.object({ spec: z.object({ replicas: z.int() }) });

async function replicas(cluster: Cluster): Promise<number> {
  return scaled.parse(JSON.parse(await cluster.kubectl("get", edge, "--output", "json"))).spec.replicas;
}

async function requireReplicas(cluster: Cluster, expected: number): Promise<void> {
  const found = await replicas(cluster);
  if (found !== expected) throw new Error(`the edge has ${found} replicas instead of ${expected}`);
}

/** Requires that an upgrade is refused with a message that contains `part`. */
async function requireRefusal(upgrade: Promise<void>, part: string): Promise<void> {
  const refusal = await upgrade.then(
    () => "the upgrade was accepted",
    (error: unknown) => String(error),
  );
  if (!refusal.includes(part)) throw new Error(`expected a refusal with "${part}", got: ${refusal}`);
}

/**
 * Disables and enables backups with volumes of all kinds: applied by the server, or on the client's side as by Helm 3;
 * with a storage class in the values, or with the cluster's default class, which Kubernetes adds.
 */
async function keepVolumes(cluster: Cluster): Promise<void> {
  for (const [index, serverSide] of ["true", "false", "true", "false"].entries()) {
    const [name, storageClass] = [`volume${index}`, index < 2 ? "own" : ""];
    const upgrade = (enabled: boolean, serverSide: string) => {
      const values = [
        `fullnameOverride=${name}`,
        `backup.enabled=${enabled}`,
        `backup.storageClassName=${storageClass}`,
      ];
      return cluster.upgradeObjects(...set(...values), `--server-side=${serverSide}`);
    };
    await upgrade(true, serverSide);
    const volume = ["persistentvolumeclaim", `${name}-backup`];
    const present = await cluster.kubectl("get", ...volume, "--output", "jsonpath={.spec.storageClassName}");
    // A cluster without a default class. Once there is one, the controller adds it.
    const patch = JSON.stringify({ spec: { storageClassName: "added" } });
    if (present === "")
      await cluster.kubectl("patch", ...volume, "--field-manager=kube-controller-manager", "--patch", patch);
    for (const [enabled, then] of [
      [false, serverSide],
      [true, serverSide],
      [false, "true"],
      [true, "true"],
    ] as const)
      await upgrade(enabled, then);
  }
}

/**
 * Steps that examine the objects of a release and need no pods, so that an API server without nodes suffices. Each
 * starts from the state in which the previous one left the release.
 */
export const objectStory: readonly Step[] = [
  {
    name: "the API server accepts all kinds of values",
    async run(cluster) {
      await cluster.createNamespace();
      await cluster.upgradeObjects(...jsonValues(extended));
      await cluster.helm("uninstall", "cluster-test");
    },
  },
  {
    name: "rolls back past a revision that needs none of the kept objects",
    async run(cluster) {
      await cluster.upgradeObjects();
      const names = ["registry", "edge", "notifier", "operator"].map((peer) => `grpcTls.existingSecrets.${peer}=own`);
      const keys = ["edge.cursorKeys.existingSecret=own", "registry.secretKeys.existingSecret=own"];
      await cluster.upgradeObjects(...set("backup.enabled=false", ...keys, ...names));
      await cluster.helm("rollback", "cluster-test");
    },
  },
  {
    name: "rolls back to a revision with a generated key that was deleted, and restores the key",
    async run(cluster) {
      const key = () => cluster.kubectl("get", "secret", Cluster.nameOf("cursor-keys"), "--output", "jsonpath={.data}");
      const before = await key();
      await cluster.upgradeObjects(...set("edge.cursorKeys.existingSecret=own"));
      await cluster.kubectl("delete", "secret", Cluster.nameOf("cursor-keys"));
      await cluster.upgradeObjects(...set("edge.cursorKeys.existingSecret=own"));
      await cluster.helm("rollback", "cluster-test", "1");
      if ((await key()) !== before) throw new Error("the rollback generated another key");
    },
  },
  {
    name: "keeps the backup's volume while backups are disabled, whatever set its storage class",
    run: keepVolumes,
  },
  {
    name: "keeps the number of pods when autoscaling is enabled, or raises it to the minimum",
    async run(cluster) {
      await cluster.upgradeObjects(...set("edge.replicas=6"));
      await cluster.upgradeObjects(...autoscaled());
      await requireReplicas(cluster, 6);
      await cluster.upgradeObjects(...set("edge.replicas=2"));
      await cluster.upgradeObjects(...autoscaled("edge.autoscaling.minReplicas=3"));
      await requireReplicas(cluster, 3);
      await cluster.upgradeObjects(...autoscaled("commonLabels.upgraded=yes"));
      await requireReplicas(cluster, 3);
    },
  },
  {
    name: "leaves the number of pods to the autoscaler, in upgrades and rollbacks",
    async run(cluster) {
      for (const count of [8, 5]) {
        await cluster.kubectl("scale", edge, `--replicas=${count}`);
        await cluster.upgradeObjects(...autoscaled(`commonLabels.count=n${count}`));
        await requireReplicas(cluster, count);
      }
      await cluster.kubectl("scale", edge, "--replicas=7");
      await cluster.helm("rollback", "cluster-test");
      await requireReplicas(cluster, 7);
    },
  },
  {
    name: "takes fields back that kubectl has changed, with --force-conflicts",
    async run(cluster) {
      await cluster.kubectl("set", "image", edge, "edge=other:1");
      await requireRefusal(cluster.upgradeObjects(...autoscaled()), "conflict");
      await cluster.upgradeObjects(...autoscaled(), "--force-conflicts");
    },
  },
  {
    name: "refuses values that do not fit the generated Secrets",
    async run(cluster) {
      const upgrade = (value: string) => cluster.upgradeObjects(...autoscaled(value));
      await requireRefusal(upgrade("edge.cursorKeys.keys[0]=other.key"), "edge.cursorKeys.keys names other.key");
      await requireRefusal(upgrade("grpcTls.domain=eu.internal"), "grpcTls.domain is eu.internal");
      await cluster.kubectl("delete", "secret", Cluster.nameOf("grpc-edge"));
      await requireRefusal(upgrade("grpcTls.enabled=true"), "grpcTls: the generated Secrets of edge are missing");
    },
  },
];

function jsonValues(values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => ["--set-json", `${name}=${JSON.stringify(value)}`]);
}
