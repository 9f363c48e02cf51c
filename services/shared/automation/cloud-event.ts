import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { isTestId, occurredAt } from "../events/event-fields.ts";
import { eventName } from "../events/event-name.ts";

/** The media type of a CloudEvent in structured mode. */
export const cloudEventsType = "application/cloudevents+json";

/** The prefix of every CloudEvent's type; the name of the event (INTERFACE.md §6) follows it. */
const eventTypePrefix = "certificate-registry.certificate.";

/**
 * Renders an event as a CloudEvent 1.0 in the JSON format. Its `id` is the event's, its `source` a URL with the store's
 * domain, and its `subject` the certificate's id. `data` has the members of a webhook message of format v2 except
 * `version`; the certificate's JSON is embedded unparsed. A test event has the additional attribute `test`.
 *
 * @param name the event's public name. Default: that of its type, which this version must know
 */
export function cloudEvent(event: CertificateEvent, name: string = eventName(event.type)): Buffer {
  const { id, shop, certificateId, certificateJson } = event;
  const time = occurredAt(event).toISOString();
  const attributes = {
    specversion: "1.0",
    id,
    source: `https://${shop}`,
    type: `${eventTypePrefix}${name}`,
    subject: certificateId,
    time,
    datacontenttype: "application/json",
    ...(isTestId(id) && { test: true }),
  };
  const data = { event: name, shop, occurredAt: time };
  return Buffer.concat([
    Buffer.from(`${opened(attributes)},"data":${opened(data)},"certificate":`),
    certificateJson,
    Buffer.from("}}"),
  ]);
}

/** Returns the JSON of an object without its closing brace. */
function opened(object: object): string {
  return JSON.stringify(object).slice(0, -1);
}
