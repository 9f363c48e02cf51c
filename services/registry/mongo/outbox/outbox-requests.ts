import type { DeliveryRequest } from "../../deliveries/delivery.ts";
import { requestedByOf } from "../../outbox/requested-by.ts";
import type { OutboxDocument } from "../documents/documents.ts";

/** Returns the request that claims an outbox entry's event without sending it. */
export function unclaimedRequestOf({ _id, store, certificate, type, at, event }: OutboxDocument): DeliveryRequest {
  const ids = { eventId: _id, storeId: store, certificateId: certificate };
  return { ...ids, type, requestedBy: requestedByOf(event.value()), queuedAt: at, attemptToken: "" };
}
