import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { eventName } from "#shared/events/event-name.ts";
import { v1Events } from "#shared/events/v1-events.ts";

/**
 * A message's body (INTERFACE.md §4.2), built once: these very bytes are signed and sent. The certificate is
 * embedded as the event carries it, unparsed.
 *
 * @returns undefined where the format does not have the event
 */
export function buildMessageBody(event: CertificateEvent, format: WebhookFormat): Buffer | undefined {
  if (format === WebhookFormat.V2) {
    return Buffer.concat([opening(2, event), event.certificateJson, closingBrace]);
  }
  if (format === WebhookFormat.V1 && v1Events.includes(event.type)) {
    const certificate = JSON.stringify({ id: event.certificateId, serial: event.serial });
    return Buffer.concat([opening(1, event), Buffer.from(certificate), closingBrace]);
  }
  return undefined;
}

const closingBrace = Buffer.from("}");

function opening(version: number, event: CertificateEvent): Buffer {
  if (event.occurredAt === undefined) throw new Error("an event without a time");
  const occurredAt = timestampDate(event.occurredAt).toISOString();
  const head = JSON.stringify({ version, event: eventName(event.type), shop: event.shop, occurredAt });
  return Buffer.from(`${head.slice(0, -1)},"certificate":`);
}
