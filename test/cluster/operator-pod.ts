import { z } from "zod";
import { Cluster, release } from "./cluster.ts";

const json = z.json();
const testPod = z.object({
  spec: z.object({
    securityContext: json,
    containers: z.tuple([
      z.looseObject({ image: z.string(), env: z.array(json), securityContext: json, volumeMounts: z.array(json) }),
    ]),
    volumes: z.array(json),
  }),
});

/** Settings of a pod, in addition to those it shares with the `helm test` pod. */
interface OperatorPod {
  readonly name: string;
  /** Path, inside the pod, of the script that Node runs. */
  readonly script: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Volumes, each with the path where it is mounted. */
  readonly mounts: readonly { readonly mountPath: string; readonly volume: Volume }[];
}

/** A volume of a pod, with its source. */
interface Volume {
  readonly name: string;
  readonly configMap?: object;
  readonly secret?: object;
}

/**
 * Starts a pod with the image and settings of the `helm test` pod, which must exist. The new pod has certctl and may
 * call the registry and the edge.
 */
export async function startOperatorPod(
  cluster: Cluster,
  { name, script, labels = {}, env = {}, mounts }: OperatorPod,
): Promise<void> {
  const test = await cluster.kubectl("get", "pod", Cluster.nameOf("test"), "--output", "json");
  const { containers, volumes, securityContext } = testPod.parse(JSON.parse(test)).spec;
  const [{ image, env: inheritedEnv, securityContext: containerSecurityContext, volumeMounts }] = containers;
  const container = {
    name,
    image,
    securityContext: containerSecurityContext,
    command: ["node", script],
    env: [...inheritedEnv, ...Object.entries(env).map(([variable, value]) => ({ name: variable, value }))],
    volumeMounts: [
      ...volumeMounts,
      ...mounts.map(({ mountPath, volume }) => ({ name: volume.name, mountPath, readOnly: true })),
    ],
  };
  const spec = {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    securityContext,
    containers: [container],
    volumes: [...volumes, ...mounts.map(({ volume }) => volume)],
  };
  const ownLabels = {
    "app.kubernetes.io/name": "certificate-registry",
    "app.kubernetes.io/instance": release,
    "app.kubernetes.io/component": "certctl",
    ...labels,
  };
  await cluster.apply({ apiVersion: "v1", kind: "Pod", metadata: { name, labels: ownLabels }, spec });
}

/** Creates or updates a ConfigMap. @param data content by key */
export function applyConfigMap(cluster: Cluster, name: string, data: Readonly<Record<string, string>>): Promise<void> {
  return cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
}
