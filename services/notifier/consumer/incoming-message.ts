import { fromBinary } from "@bufbuild/protobuf";
import type { Msg } from "nats";
import { type CertificateEvent, CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { type Reason, reason } from "#shared/reasons/reason.ts";

/** A message delivered by JetStream. If an acknowledgement is lost, the message is redelivered. */
export interface IncomingMessage {
  readonly subject: string;
  /** The `Nats-Msg-Id` header; the empty string if it is missing. */
  readonly messageId: string;
  /** The W3C `traceparent`, which continues the trace of the change; the empty string if the trace is not recorded. */
  readonly traceparent: string;
  readonly data: Uint8Array;
  /** The stream sequence number. */
  readonly sequence: number;
  /** 1 for the first delivery. */
  readonly deliveryCount: number;
  /** Acknowledges the message, so that it is not redelivered. */
  ack(): void;
  /** Requests redelivery after `delayMs`. */
  nak(delayMs: number): void;
  /** Rejects the message permanently, so that it is not redelivered. */
  term(reason: string): void;
  /** Restarts the ack_wait timer while the message is still being processed. */
  working(): void;
}

/**
 * Converts a message received by a pull. The NATS client can do this only inside its own pull loops, which request too
 * many messages after a reconnect and lose messages when closed. This file therefore implements two parts of the
 * protocol itself: the metadata in the reply subject and the acknowledgements (NATS ADR-15).
 *
 * @returns undefined if the message does not come from a consumer, for example because it is a status message
 */
export function incomingMessage(message: Msg): IncomingMessage | undefined {
  const metadata = parseReplySubject(message.reply ?? "");
  if (metadata === undefined) return undefined;
  const respond = (text: string) => {
    try {
      message.respond(text);
    } catch {
      // The connection is closed.
    }
  };
  return {
    ...metadata,
    subject: message.subject,
    messageId: message.headers?.get("Nats-Msg-Id") ?? "",
    traceparent: message.headers?.get("traceparent") ?? "",
    data: message.data,
    ack: () => respond("+ACK"),
    nak: (delayMs) => respond(delayMs > 0 ? `-NAK {"delay": ${Math.ceil(delayMs) * 1_000_000}}` : "-NAK"),
    term: (reason) => respond(`+TERM ${reason}`),
    working: () => respond("+WPI"),
  };
}

// $JS.ACK.<stream>.<consumer>.<delivered>.<stream sequence>.<consumer sequence>.<time>.<pending>; the newer form has
// <domain>.<account hash> before the stream and a random token at the end.
function parseReplySubject(reply: string): Pick<IncomingMessage, "sequence" | "deliveryCount"> | undefined {
  const tokens = reply.split(".");
  if (tokens[0] !== "$JS" || tokens[1] !== "ACK" || tokens.length < 9) return undefined;
  const first = tokens.length === 9 ? 4 : 6;
  const deliveryCount = Number(tokens[first]);
  const sequence = Number(tokens[first + 1]);
  return Number.isInteger(deliveryCount) && Number.isInteger(sequence) ? { deliveryCount, sequence } : undefined;
}

/**
 * A valid event, or why the bytes do not contain one. `mayBecomeKnown`: the event, if a later version may
 * know its type, and nothing else is wrong.
 */
type DecodedEvent =
  | { readonly event: CertificateEvent }
  | { readonly problem: Reason; readonly mayBecomeKnown?: CertificateEvent };

/** Decodes an event published by the outbox relay, and checks the fields that a delivery requires. */
export function decodeEvent(bytes: Uint8Array): DecodedEvent {
  let event: CertificateEvent;
  try {
    event = fromBinary(CertificateEventSchema, bytes);
  } catch {
    return { problem: reason("event_malformed") };
  }
  const problem = problemOf(event);
  if (problem !== undefined) return { problem };
  if (EventType[event.type] !== undefined) return { event };
  return { problem: reason("event_type_unknown", { type: event.type }), mayBecomeKnown: event };
}

function problemOf(event: CertificateEvent): Reason | undefined {
  // The id is sent as an HTTP header value.
  if (!/^[\x21-\x7e]{1,200}$/.test(event.id)) return reason("event_id_malformed");
  const missing = missingFieldOf(event);
  return missing === undefined ? undefined : reason("event_field_missing", { field: missing });
}

function missingFieldOf(event: CertificateEvent): string | undefined {
  if (event.storeId === "") return "store_id";
  if (event.certificateId === "") return "certificate_id";
  if (event.type === EventType.UNSPECIFIED) return "type";
  if (event.occurredAt === undefined) return "occurred_at";
  if (event.certificateJson.length === 0) return "certificate_json";
  return undefined;
}
