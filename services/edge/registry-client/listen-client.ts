import { createClient, type Transport } from "@connectrpc/connect";
import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ListenService } from "#gen/registry/v1/listen_service_pb.js";
import { unlessNotFound } from "#shared/errors/service-error.ts";
import { passingOn } from "./passing-on.ts";

/**
 * Creates a client for the registry's ListenService. Methods return undefined for a token that is not valid, and throw
 * ServiceError `unavailable`, or `internal` for any other failure.
 */
export function listenClient(transport: Transport) {
  const client = createClient(ListenService, passingOn(["not_found", "unavailable"], transport));
  return {
    /**
     * Returns the messages after a position.
     *
     * @param tokenSha256 see hashListenToken
     * @param after undefined for a response without messages at the current position
     */
    readMessages: (tokenSha256: Uint8Array, after: number | undefined) =>
      unlessNotFound(client.readMessages({ tokenSha256, ...(after !== undefined && { after }) })),
    /** Sends a message about a sample to the token's listeners. */
    sendSample: (tokenSha256: Uint8Array, event: EventType) =>
      unlessNotFound(client.sendSample({ tokenSha256, event })),
  };
}

/** The part of the registry's API that serves developers who listen. */
export type ListenClient = ReturnType<typeof listenClient>;
