import type { Msg } from "nats";

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
