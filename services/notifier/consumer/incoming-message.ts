import type { Msg } from "nats";

/** One message as JetStream handed it over. Answers are sent on a best effort: a lost one means that it comes again. */
export interface IncomingMessage {
  readonly subject: string;
  /** Its `Nats-Msg-Id`; empty where it has none. */
  readonly messageId: string;
  readonly data: Uint8Array;
  /** Its place in the stream. */
  readonly sequence: number;
  /** 1 at first. */
  readonly deliveryCount: number;
  /** Done; never comes again. */
  ack(): void;
  /** Comes again after so many milliseconds. */
  nak(delayMs: number): void;
  /** Cannot be used; never comes again. */
  term(reason: string): void;
  /** Still being worked on: the time until it comes again starts anew. */
  working(): void;
}

/**
 * Reads a message that a pull brought. The client makes such messages only inside its own pull loops, which ask for
 * more than they were told after a reconnect and lose messages when closed; so the two sides of the protocol that are
 * needed stand here (NATS ADR-15: `$JS.ACK.…` reply subjects).
 *
 * @returns undefined when it does not come from a consumer
 */
export function incomingMessage(message: Msg): IncomingMessage | undefined {
  const position = positionOf(message.reply ?? "");
  if (position === undefined) return undefined;
  const answer = (text: string) => {
    try {
      message.respond(text);
    } catch {
      // The connection is closed.
    }
  };
  return {
    ...position,
    subject: message.subject,
    messageId: message.headers?.get("Nats-Msg-Id") ?? "",
    data: message.data,
    ack: () => answer("+ACK"),
    nak: (delayMs) => answer(delayMs > 0 ? `-NAK {"delay": ${Math.ceil(delayMs) * 1_000_000}}` : "-NAK"),
    term: (reason) => answer(`+TERM ${reason}`),
    working: () => answer("+WPI"),
  };
}

// $JS.ACK.<stream>.<consumer>.<delivered>.<stream sequence>.<consumer sequence>.<time>.<pending>, or with
// <domain>.<account hash> before the stream and more after the end.
function positionOf(reply: string): Pick<IncomingMessage, "sequence" | "deliveryCount"> | undefined {
  const tokens = reply.split(".");
  if (tokens[0] !== "$JS" || tokens[1] !== "ACK" || tokens.length < 9) return undefined;
  const first = tokens.length === 9 ? 4 : 6;
  const deliveryCount = Number(tokens[first]);
  const sequence = Number(tokens[first + 1]);
  return Number.isInteger(deliveryCount) && Number.isInteger(sequence)
    ? { deliveryCount, sequence }
    : undefined;
}
