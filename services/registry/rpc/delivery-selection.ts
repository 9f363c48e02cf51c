import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { ListDeliveriesRequest } from "#gen/registry/v1/inspection_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { CertificateLookup } from "../certificates/certificate-lookup.ts";
import { parseSerial } from "../certificates/serial.ts";
import { type DeliveryLogQuery, failedKinds } from "../deliveries/delivery-log.ts";
import { placeAfter } from "../values/page-token.ts";
import { outcomeNames } from "./outcome-messages.ts";
import { dateOf } from "./request-limits.ts";

/**
 * Converts the filters and the position of a request to a query of the store's delivery log.
 *
 * @returns undefined if the store has no certificate with the serial number: no delivery can match it
 * @throws ServiceError `bad_request` naming an invalid field
 */
export async function deliverySelection(
  lookup: Pick<CertificateLookup, "findId">,
  storeId: string,
  request: ListDeliveriesRequest,
): Promise<DeliveryLogQuery | undefined> {
  const { outcome, failedOnly, since, until, pageToken, eventId, certificateId, serial, event } = request;
  const after = placeAfter(pageToken);
  if (failedOnly && outcome !== OutcomeKind.UNSPECIFIED) throw badRequest("outcome", "is not allowed with failed_only");
  if (serial !== "" && certificateId !== "") throw badRequest("serial", "is not allowed with certificate_id");
  if (EventType[event] === undefined) throw badRequest("event", "is unknown");
  const kind = outcomeNames.nameIfSet(outcome, "outcome");
  const query = {
    storeId,
    eventId: eventId || undefined,
    certificateId: certificateId || undefined,
    kinds: failedOnly ? failedKinds : kind && [kind],
    type: event === EventType.UNSPECIFIED ? undefined : event,
    ...(failedOnly && { withoutResent: true }),
    since: dateOf("since", since),
    until: dateOf("until", until),
    after,
  };
  if (serial === "") return query;
  const number = parseSerial(serial);
  const found = number === undefined ? undefined : await lookup.findId(storeId, number);
  return found === undefined ? undefined : { ...query, certificateId: found };
}
