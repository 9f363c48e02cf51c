import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type CreateStoreRequestSchema,
  Plan,
  type SetWebhookRequestSchema,
} from "#gen/registry/v1/store_admin_service_pb.js";
import { hashApiKey } from "#shared/keys/api-key.ts";
import { inStore } from "./in-store.ts";
import type { TestRegistry } from "./registry-fixture.ts";
import { whenAvailable } from "./when-available.ts";

/** Creates a store, by default on the Pro plan and with a unique domain. @returns its id */
export async function createTestStore(
  { admin }: Pick<TestRegistry, "admin">,
  overrides: MessageInitShape<typeof CreateStoreRequestSchema> = {},
): Promise<string> {
  const shop = `shop-${randomBytes(6).toString("hex")}.example.test`;
  const { store } = await whenAvailable(() => admin.createStore({ shop, plan: Plan.PRO, ...overrides }));
  if (store === undefined) throw new Error("the response contains no store");
  return store.id;
}

/** Webhook URL for tests that send no message. */
export const testWebhookUrl = "https://receiver.example.test/hook";

/** Creates a store with a webhook. @returns its id and its signing secret (the empty string without `createSecret`) */
export async function createStoreWithWebhook(
  registry: Pick<TestRegistry, "admin">,
  webhook: MessageInitShape<typeof SetWebhookRequestSchema> = {},
) {
  const storeId = await createTestStore(registry);
  const change = () => registry.admin.setWebhook({ url: testWebhookUrl, ...webhook }, inStore(storeId));
  const { secret } = await whenAvailable(change);
  return { storeId, secret };
}

/** Creates an API key. @returns the key, its id and its hash */
export async function createTestApiKey({ admin }: Pick<TestRegistry, "admin">, storeId: string) {
  const { keyId, apiKey } = await whenAvailable(() => admin.createApiKey({ label: "test" }, inStore(storeId)));
  return { keyId, apiKey, keySha256: hashApiKey(apiKey) };
}

/** Creates a store with an API key. @param overrides fields of the new store */
export async function createKeyedStore(
  registry: Pick<TestRegistry, "admin">,
  overrides: Parameters<typeof createTestStore>[1] = {},
) {
  const storeId = await createTestStore(registry, overrides);
  return { storeId, ...(await createTestApiKey(registry, storeId)) };
}
