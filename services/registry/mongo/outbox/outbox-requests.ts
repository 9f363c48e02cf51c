import { fromBinary } from "@bufbuild/protobuf";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import type { DeliveryRequest } from "../../deliveries/delivery.ts";
import type { OutboxDocument } from "../documents/documents.ts";

/** Returns the request that claims an outbox entry's event without sending it. */
export function unclaimedRequestOf({ _id, store, certificate, type, at, event }: OutboxDocument): DeliveryRequest {
  const ids = { eventId: _id, storeId: store, certificateId: certificate };
  return { ...ids, type, requestedBy: requestedByOf(event.value()), queuedAt: at, attemptToken: "" };
}

/**
 * Returns who requested a manual send; the empty string for any other event, and for an event that cannot be decoded.
 */
function requestedByOf(event: Uint8Array): string {
  try {
    return fromBinary(CertificateEventSchema, event).requestedBy;
  } catch {
    return "";
  }
}
