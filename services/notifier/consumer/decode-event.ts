import { fromBinary } from "@bufbuild/protobuf";
import { type CertificateEvent, CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";

/** A valid event, or the reason why the bytes do not contain one. */
export type DecodedEvent = { readonly event: CertificateEvent } | { readonly problem: string };

/** Decodes an event published by the outbox relay, and checks the fields that a delivery requires. */
export function decodeEvent(bytes: Uint8Array): DecodedEvent {
  let event: CertificateEvent;
  try {
    event = fromBinary(CertificateEventSchema, bytes);
  } catch {
    return { problem: "the bytes are not a CertificateEvent" };
  }
  const problem = problemOf(event);
  return problem === undefined ? { event } : { problem };
}

function problemOf(event: CertificateEvent): string | undefined {
  // The id is sent as an HTTP header value.
  if (!/^[\x21-\x7e]{1,200}$/.test(event.id)) return "the event id is missing, too long or not a valid header value";
  if (event.storeId === "") return "the event has no store id";
  if (event.certificateId === "") return "the event has no certificate id";
  if (event.type === EventType.UNSPECIFIED || EventType[event.type] === undefined)
    return "the event type is missing or unknown";
  if (event.occurredAt === undefined) return "the event has no timestamp";
  if (event.certificateJson.length === 0) return "the event has no certificate";
  return undefined;
}
