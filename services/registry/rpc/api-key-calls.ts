import { type Duration, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import type { ApiKeyRecord, ApiKeys } from "../stores/api-keys.ts";
import { createApiKey, renameApiKey, rollApiKey } from "../stores/issue-api-key.ts";
import { storeAndActorOf, storeOf } from "./call-scope.ts";

/** Implements the API key methods of StoreAdminService. */
export function apiKeyCalls(keys: ApiKeys) {
  return {
    async createApiKey({ label }, context) {
      return createApiKey(keys, { label, ...storeAndActorOf(context) });
    },

    async listApiKeys(_request, context) {
      return { keys: (await keys.list(storeOf(context))).map(apiKeyMessage) };
    },

    async rollApiKey({ keyId, gracePeriod, label }, context) {
      const graceMs = gracePeriod && msOf(gracePeriod);
      const request = { keyId, graceMs, label, ...storeAndActorOf(context) };
      const { oldKeyValidUntil, ...created } = await rollApiKey(keys, request);
      return {
        ...created,
        ...(oldKeyValidUntil && { oldKeyValidUntil: timestampFromDate(oldKeyValidUntil) }),
      };
    },

    async renameApiKey({ keyId, label }, context) {
      await renameApiKey(keys, { keyId, label, ...storeAndActorOf(context) });
      return {};
    },

    async revokeApiKey({ keyId }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      await keys.remove(storeId, keyId, { action: "key.revoked", actor, details: { keyId } });
      return {};
    },
  } satisfies Partial<ServiceImpl<typeof StoreAdminService>>;
}

function apiKeyMessage({ id, createdAt, lastUsedAt, validUntil, ...record }: ApiKeyRecord) {
  return {
    ...record,
    keyId: id,
    createdAt: timestampFromDate(createdAt),
    ...(lastUsedAt && { lastUsedAt: timestampFromDate(lastUsedAt) }),
    ...(validUntil && { validUntil: timestampFromDate(validUntil) }),
  };
}

// Rounded up, so that the old key works at least as long as requested.
function msOf({ seconds, nanos }: Duration): number {
  return Number(seconds) * 1_000 + Math.ceil(nanos / 1_000_000);
}
