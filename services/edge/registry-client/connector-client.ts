import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import {
  ConnectorService,
  type ReceiveMessageRequestSchema,
  type ReceiveMessageResponse,
} from "#gen/registry/v1/connector_service_pb.js";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { createGrpcClient, type GrpcClientOptions } from "#shared/rpc/grpc-client.ts";
import { passingOn } from "./passing-on.ts";

/** The part of the registry's API that the connector to storefront platforms uses. */
export interface ConnectorClient {
  /**
   * Stores a message.
   *
   * @throws ServiceError `not_found` for an unknown store if the message requires a store, `bad_request` naming the
   *   field, `unavailable`, or `internal` for any other failure
   */
  receiveMessage(
    message: MessageInitShape<typeof ReceiveMessageRequestSchema>,
  ): Promise<Pick<ReceiveMessageResponse, "isDuplicate" | "isDropped" | "hasNoStore">>;
}

/** Codes that are passed on to the platform; any other failure becomes `internal`. */
const platformCodes: readonly ErrorCode[] = ["not_found", "unavailable", "bad_request"];

/** Creates a client for the registry's ConnectorService. It connects on the first call. */
export function connectConnector(
  options: Pick<GrpcClientOptions, "address" | "security" | "onCall"> & { readonly timeoutMs: number },
): ConnectorClient & { close(): void } {
  const transport = createGrpcClient(options);
  const client = createClient(ConnectorService, passingOn(platformCodes, transport));
  return {
    receiveMessage: (message) => client.receiveMessage(message),
    close: () => transport.close(),
  };
}
