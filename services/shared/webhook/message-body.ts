import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { occurredAt } from "#shared/events/event-fields.ts";
import { eventName } from "#shared/events/event-name.ts";
import { v1Events } from "#shared/events/v1-events.ts";

/**
 * Builds the body of a message (INTERFACE.md §4.2). Exactly these bytes are signed and sent. Format v2 embeds the
 * certificate's JSON as published, without parsing it.
 *
 * @returns undefined if the format does not include the event
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
  const { type, shop } = event;
  const time = occurredAt(event).toISOString();
  const head = JSON.stringify({ version, event: eventName(type), shop, occurredAt: time });
  return Buffer.from(`${head.slice(0, -1)},"certificate":`);
}
