import { readFileSync, writeFileSync } from "node:fs";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { acceptsConnections } from "../../../deploy/local/stack/service-process.ts";
import { inStore } from "../../harness/in-store.ts";
import { orderItems } from "../../harness/issue-items.ts";
import type { MirrorKind } from "../../harness/mirror/open-store.ts";
import { partOf, type Stack } from "../../harness/stack/start-stack.ts";
import { createStoreWithKey } from "../runner/workload-store.ts";

/** A program that copies a store through its webhook messages and the list. */
export type Mirror = Awaited<ReturnType<typeof startMirror>>;

interface MirrorOptions {
  readonly kind: MirrorKind;
  /** Path of the SQLite file, or PostgreSQL connection string. */
  readonly location: string;
  readonly edgeUrl: string;
  readonly ignoresEpoch: boolean;
}

// More than one page of the list. These certificates are issued before the webhook exists, so no message contains them
// until they change.
const certificatesBefore = 120;

/** Creates a store with certificates, and starts its mirror. */
export async function startMirror(
  { registries, supervisor, secrets }: Stack,
  { kind, location, edgeUrl, ignoresEpoch }: MirrorOptions,
) {
  const registry = partOf(registries);
  const store = await createStoreWithKey(registry);
  const items = orderItems(certificatesBefore);
  const { results } = await registry.issuing.issueCertificates({ items }, inStore(store.id));
  store.certificateIds.push(...results.map(({ certificateId }) => certificateId));
  const port = await freePort();
  const url = `https://127.0.0.1:${port}/`;
  const { secret } = await registry.admin.setWebhook({ url, createSecret: true }, inStore(store.id));
  const countFile = supervisor.path(`mirror-${kind}.count`);
  writeFileSync(countFile, "");
  const env = {
    MIRROR_KIND: kind,
    MIRROR_LOCATION: location,
    MIRROR_PORT: String(port),
    MIRROR_COUNT_FILE: countFile,
    MIRROR_CERT_FILE: secrets.receiver.cert,
    MIRROR_KEY_FILE: secrets.receiver.key,
    MIRROR_SECRET: secret,
    REGISTRY_URL: edgeUrl,
    REGISTRY_API_KEY: store.apiKey,
    MIRROR_IGNORES_EPOCH: String(ignoresEpoch),
  };
  const spec = {
    name: kind,
    script: "test/harness/mirror/mirror-program.ts",
    env,
    isReady: () => acceptsConnections(port),
  };
  const process = await supervisor.startService(`mirror-${kind}`, () => spec);
  const countOf = (event: string) => readFileSync(countFile, "utf8").split(event).length - 1;
  return { kind, location, store, process, messages: () => countOf("m"), syncs: () => countOf("s") };
}
