import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { inStore } from "../../harness/in-store.ts";
import { type Behaviour, pathOf } from "../../harness/receiver/behaviour.ts";
import type { RegistryClients } from "../../harness/stack/registry-clients.ts";
import { createWorkloadStore, type WorkloadStore } from "../runner/workload-store.ts";

/** The properties of a store's webhook that determine its requests. */
export interface StoreWebhook {
  /** Path of the webhook URL; unique among the stores of one call to {@link createWebhookStores}. */
  readonly path: string;
  readonly format: "v1" | "v2";
  /** Null if messages are unsigned. */
  readonly secret: string | null;
}

/** A store with or without a webhook. */
export interface WebhookStore extends WorkloadStore {
  readonly shop: string;
  readonly webhook: StoreWebhook | null;
}

/** Properties of the webhook to create for a store; null for a store without a webhook. */
export type WebhookKind = {
  readonly receiver: Behaviour;
  readonly format: "v1" | "v2";
  readonly isSigned: boolean;
} | null;

const kindsByDefault: readonly WebhookKind[] = [
  { receiver: "answers", format: "v2", isSigned: true },
  { receiver: "wavers", format: "v2", isSigned: true },
  { receiver: "answers", format: "v1", isSigned: true },
  null,
  { receiver: "answers", format: "v2", isSigned: false },
  { receiver: "hangs", format: "v2", isSigned: true },
  { receiver: "wavers", format: "v2", isSigned: true },
  { receiver: "resets", format: "v2", isSigned: true },
  { receiver: "answers", format: "v2", isSigned: true },
  { receiver: "refuses", format: "v2", isSigned: true },
  { receiver: "answers", format: "v2", isSigned: true },
  { receiver: "wavers", format: "v1", isSigned: true },
];

/**
 * Creates stores, and assigns the kinds of webhooks to them in turn.
 *
 * @param receiverUrl `https://host:port`
 * @param kinds default: receivers of every behaviour, both formats, with and without a signature, and no webhook
 */
export function createWebhookStores(
  count: number,
  receiverUrl: string,
  registry: RegistryClients,
  kinds: readonly WebhookKind[] = kindsByDefault,
): Promise<WebhookStore[]> {
  const create = async (number: number): Promise<WebhookStore> => {
    const store = await createWorkloadStore(registry);
    const shop = (await registry.admin.getStore({}, inStore(store.id))).store?.shop ?? "";
    const kind = kinds[number % kinds.length] ?? null;
    if (kind === null) return { ...store, shop, webhook: null };
    const { receiver, isSigned: createSecret } = kind;
    const path = pathOf(receiver, `store-${number + 1}`);
    const format = kind.format === "v1" ? WebhookFormat.V1 : WebhookFormat.V2;
    const url = `${receiverUrl}${path}`;
    const { secret } = await registry.admin.setWebhook({ url, format, createSecret }, inStore(store.id));
    return { ...store, shop, webhook: { path, format: kind.format, secret: secret || null } };
  };
  return Promise.all(Array.from({ length: count }, (_, number) => create(number)));
}
