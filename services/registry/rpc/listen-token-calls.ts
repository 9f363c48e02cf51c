import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import type { Clock } from "#shared/time/clock.ts";
import { createListenToken, type ListenTokens } from "../listening/listen-tokens.ts";
import { storeAndActorOf, storeOf } from "./call-scope.ts";

/** Implements the listen token methods of StoreAdminService. */
export function listenTokenCalls(tokens: ListenTokens, clock: Clock) {
  return {
    async createListenToken(_request, context) {
      const { expiresAt, ...created } = await createListenToken({ tokens, clock }, storeAndActorOf(context));
      return { ...created, expiresAt: timestampFromDate(expiresAt) };
    },

    async listListenTokens(_request, context) {
      const found = await tokens.list(storeOf(context));
      return {
        tokens: found.map(({ id, prefix, createdAt, expiresAt, createdBy }) => ({
          tokenId: id,
          prefix,
          createdAt: timestampFromDate(createdAt),
          expiresAt: timestampFromDate(expiresAt),
          createdBy,
        })),
      };
    },

    async revokeListenToken({ tokenId }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      await tokens.remove(storeId, tokenId, { action: "listen_token.revoked", actor, details: { tokenId } });
      return {};
    },
  } satisfies Partial<ServiceImpl<typeof StoreAdminService>>;
}
