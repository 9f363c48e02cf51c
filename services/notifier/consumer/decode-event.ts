import { fromBinary } from "@bufbuild/protobuf";
import {
  type CertificateEvent,
  CertificateEventSchema,
  EventType,
} from "#gen/events/v1/certificate_event_pb.js";

/** An event, or why the bytes are none. */
export type DecodedEvent = { readonly event: CertificateEvent } | { readonly problem: string };

/** Reads an event as the outbox relay publishes it, and checks that all is there that a message needs. */
export function decodeEvent(bytes: Uint8Array): DecodedEvent {
  let event: CertificateEvent;
  try {
    event = fromBinary(CertificateEventSchema, bytes);
  } catch {
    return { problem: "the bytes are no CertificateEvent" };
  }
  const problem = problemOf(event);
  return problem === undefined ? { event } : { problem };
}

function problemOf(event: CertificateEvent): string | undefined {
  // The id becomes a header.
  if (!/^[\x21-\x7e]{1,200}$/.test(event.id)) return "the event has no usable id";
  if (event.storeId === "") return "the event names no store";
  if (event.certificateId === "") return "the event names no certificate";
  if (event.type === EventType.UNSPECIFIED || EventType[event.type] === undefined)
    return "the event has no known type";
  if (event.occurredAt === undefined) return "the event has no time";
  if (event.certificateJson.length === 0) return "the event holds no certificate";
  return undefined;
}
