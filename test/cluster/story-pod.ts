import { readFile } from "node:fs/promises";
import { makeServerCertificate } from "../../deploy/local/certificates/self-signed.ts";
import { eventually } from "../harness/eventually.ts";
import { type Cluster, release } from "./cluster.ts";
import { applyConfigMap, startOperatorPod } from "./operator-pod.ts";

const pod = "story";
/** Name of the ConfigMap with the receiver's CA certificate; values.yaml refers to it. */
const authority = "story-authority";
const host = `${pod}.${release}.svc.cluster.local`;
const port = 8443;
const limit = { withinMs: 180_000, everyMs: 1_000 };

// The script and the module that it imports, by ConfigMap key. The paths are the same in the repository and the mount.
const scripts = {
  "certificate-story.mjs": "test/harness/story/certificate-story.mjs",
  "verify-signature.mjs": "deploy/receivers/verify-signature.mjs",
};

/** Creates the receiver's certificate, CA certificate and Service. Must run before the chart is installed. */
export async function prepareReceiver(cluster: Cluster): Promise<void> {
  const { caPem, certPem, keyPem } = await makeServerCertificate({ hostnames: [host], addresses: [] });
  await cluster.createNamespace();
  await applyConfigMap(cluster, authority, { "ca.pem": caPem });
  const stringData = { "tls.crt": certPem, "tls.key": keyPem };
  await cluster.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: pod }, stringData });
  const ports = [{ name: "https", port, targetPort: port }];
  const spec = { clusterIP: "None", publishNotReadyAddresses: true, selector: { receiver: pod }, ports };
  await cluster.apply({ apiVersion: "v1", kind: "Service", metadata: { name: pod }, spec });
}

/** Runs certificate-story.mjs in a pod. @throws Error with the pod's log when the story fails */
export async function tellStory(cluster: Cluster): Promise<void> {
  await cluster.kubectl("delete", "pod", pod, "--ignore-not-found");
  const texts = Object.entries(scripts).map(
    async ([key, path]) => [key, await readFile(new URL(`../../${path}`, import.meta.url), "utf8")] as const,
  );
  await applyConfigMap(cluster, pod, Object.fromEntries(await Promise.all(texts)));
  const items = Object.entries(scripts).map(([key, path]) => ({ key, path }));
  await startOperatorPod(cluster, {
    name: pod,
    script: `/repository/${scripts["certificate-story.mjs"]}`,
    labels: { receiver: pod },
    env: {
      RECEIVER_URL: `https://${host}:${port}/`,
      RECEIVER_CERT_FILE: "/receiver/tls.crt",
      RECEIVER_KEY_FILE: "/receiver/tls.key",
    },
    mounts: [
      { mountPath: "/repository", volume: { name: "scripts", configMap: { name: pod, items } } },
      { mountPath: "/receiver", volume: { name: "receiver", secret: { secretName: pod, defaultMode: 0o440 } } },
    ],
  });
  const phase = await eventually(async () => {
    const current = await cluster.kubectl("get", "pod", pod, "--output", "jsonpath={.status.phase}");
    if (!["Succeeded", "Failed"].includes(current)) throw new Error(`the story's pod is ${current}`);
    return current;
  }, limit);
  if (phase !== "Succeeded") throw new Error(`the story failed:\n${await cluster.kubectl("logs", pod)}`);
}
