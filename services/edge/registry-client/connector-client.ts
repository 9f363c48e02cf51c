import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { ConnectorService } from "#gen/registry/v1/connector_service_pb.js";
import { passingOn } from "./passing-on.ts";

/**
 * The part of the registry's API that the connector to storefront platforms uses. `receiveMessage` stores a message; it
 * throws ServiceError `not_found` for an unknown store if the message requires a store, `bad_request` naming the field,
 * `unavailable`, or `internal` for any other failure.
 */
export type ConnectorClient = Client<typeof ConnectorService>;

export function connectorClient(transport: Transport): ConnectorClient {
  return createClient(ConnectorService, passingOn(["not_found", "unavailable", "bad_request"], transport));
}
