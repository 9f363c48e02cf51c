import { randomBytes } from "node:crypto";
import { Cluster } from "./cluster.ts";
import { runCertctl } from "./load-pod.ts";

/** Performs the steps of deploy/operations/cursor-keys.md. */
export function replaceCursorKey(cluster: Cluster): Promise<void> {
  return replaceKey(cluster, { secret: "cursor-keys", file: "cursor.key", value: "edge.cursorKeys" });
}

/** Performs the steps of deploy/operations/signing-secrets.md. @throws Error when a secret is not sealed anew */
export async function replaceSecretKey(cluster: Cluster): Promise<void> {
  const reseal = async () => {
    const output = await runCertctl(cluster, "secrets", "reseal");
    return Number(/^stores with resealed secrets: (\d+)$/m.exec(output)?.[1]);
  };
  await replaceKey(cluster, { secret: "secret-keys", file: "secret.key", value: "registry.secretKeys" }, async () => {
    if (!((await reseal()) > 0)) throw new Error("no store's secret was sealed with the new key");
  });
  const late = await reseal();
  if (late !== 0) throw new Error(`${late} stores had secrets of the key that was withdrawn`);
}

interface Key {
  /** The generated Secret's name after that of the installation, and the whole name of the Secret that replaces it. */
  readonly secret: string;
  /** Key of the generated Secret. */
  readonly file: string;
  /** The chart's value. */
  readonly value: string;
}

/** Has the pods accept a new key, then use it, and after `beforeWithdrawal` forget the old one. */
async function replaceKey(
  cluster: Cluster,
  { secret, file, value }: Key,
  beforeWithdrawal?: () => Promise<void>,
): Promise<void> {
  const template = `go-template={{index .data "${file}"}}`;
  const old = await cluster.kubectl("get", "secret", Cluster.nameOf(secret), "--output", template);
  const data = { "old.key": old, "new.key": randomBytes(32).toString("base64") };
  await cluster.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: secret }, data });
  const setKeys = (keys: string) =>
    cluster.upgrade("--set", `${value}.existingSecret=${secret}`, "--set", `${value}.keys={${keys}}`);
  await setKeys("old.key,new.key");
  await setKeys("new.key,old.key");
  await beforeWithdrawal?.();
  await setKeys("new.key");
}
