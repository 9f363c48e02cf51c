import { fromBinary } from "@bufbuild/protobuf";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { eventTypes } from "#shared/events/event-name.ts";
import { buildMessageBody } from "#shared/webhook/message-body.ts";
import { messageHeaders, messageType, signatureHeaders, userAgent } from "#shared/webhook/message-headers.ts";

/**
 * Returns the message of an event: headers and bytes of a delivery to a webhook of format v2, without the headers of
 * its connection. The UTF-8 bytes of the body are signed.
 *
 * @param event an encoded events.v1.CertificateEvent
 * @param secret the signing secret of the token's messages
 * @returns undefined for an event of a type that only a later version knows
 */
export function listenMessage(event: Uint8Array, secret: Uint8Array) {
  const decoded = fromBinary(CertificateEventSchema, event);
  const body = eventTypes.includes(decoded.type) ? buildMessageBody(decoded, WebhookFormat.V2) : undefined;
  if (body === undefined) return undefined;
  const headers = messageHeaders(decoded.id, signatureHeaders({ secret }, body));
  return {
    headers: Object.fromEntries([["Content-Type", messageType], ["User-Agent", userAgent], ...headers]),
    body: body.toString(),
  };
}
