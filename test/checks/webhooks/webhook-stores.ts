import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { type CheckedStore, createCheckedStore } from "../runner/checked-store.ts";
import type { RegistryCalls } from "../runner/registry-calls.ts";
import { type Behaviour, pathOf } from "./receiver/behaviour.ts";

/** Where a store's messages go, and how they are to look. */
export interface CheckedWebhook {
  /** Path of the URL; the store's own. */
  readonly path: string;
  readonly format: "v1" | "v2";
  /** Null where messages are not signed. */
  readonly secret: string | null;
}

/** A store with or without a webhook. */
export interface WebhookStore extends CheckedStore {
  /** Its domain. */
  readonly shop: string;
  readonly webhook: CheckedWebhook | null;
}

/** What stores differ in; null: no URL. */
type Kind = { readonly receiver: Behaviour; readonly format: "v1" | "v2"; readonly isSigned: boolean } | null;

const kinds: readonly Kind[] = [
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

/** Creates so many stores, of all kinds in turn. @param receiverUrl `https://host:port` */
export function createWebhookStores(
  count: number,
  receiverUrl: string,
  registry: RegistryCalls,
): Promise<WebhookStore[]> {
  const create = async (number: number): Promise<WebhookStore> => {
    const store = await createCheckedStore(registry);
    const by = { case: "storeId" as const, value: store.id };
    const shop = (await registry.admin.getStore({ by })).store?.shop ?? "";
    const kind = kinds[number % kinds.length] ?? null;
    if (kind === null) return { ...store, shop, webhook: null };
    const { receiver, isSigned: createSecret } = kind;
    const path = pathOf(receiver, `store-${number + 1}`);
    const format = kind.format === "v1" ? WebhookFormat.V1 : WebhookFormat.V2;
    const url = `${receiverUrl}${path}`;
    const { secret } = await registry.admin.setWebhook({ storeId: store.id, url, format, createSecret });
    return { ...store, shop, webhook: { path, format: kind.format, secret: secret || null } };
  };
  return Promise.all(Array.from({ length: count }, (_, number) => create(number)));
}
