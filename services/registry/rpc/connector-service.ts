import type { ServiceImpl } from "@connectrpc/connect";
import type { ConnectorService } from "#gen/registry/v1/connector_service_pb.js";
import type { Clock } from "#shared/time/clock.ts";
import { type ReceiveMessageDeps, receiveMessage } from "../storefront/receive-message.ts";
import { storefrontMessageOf } from "./storefront-messages.ts";

/** Implements ConnectorService: translates between its messages and the domain. */
export function connectorService(
  deps: ReceiveMessageDeps & { readonly clock: Clock },
): ServiceImpl<typeof ConnectorService> {
  return {
    async receiveMessage(request) {
      const message = storefrontMessageOf(request, new Date(deps.clock.now()));
      const received = await receiveMessage(deps, request.shop, message);
      return { isDuplicate: received === "duplicate", isDropped: received === "dropped" };
    },
  };
}
