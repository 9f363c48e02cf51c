import { type MessageSummary, type ReceivedMessage, summarizeMessage } from "./received-message.ts";

/** The body of the response to `GET /`. */
export interface HistorySummary {
  readonly received: number;
  readonly verified: number;
  readonly rejected: number;
  /** The newest 20 messages without headers and bodies, newest first. */
  readonly last: readonly (Omit<ReceivedMessage, "body" | "headers"> & MessageSummary)[];
}

const lastMax = 20;
const bodiesMax = 10_000;

/** An in-memory history: counts, the newest 20 messages, and the bodies of the newest 10,000 verified messages. */
export class MessageHistory {
  #received = 0;
  #verified = 0;
  #last: HistorySummary["last"] = [];
  readonly #bodies: { readonly certificateId: string; readonly body: string }[] = [];

  /** Adds a message, and keeps its body if its signature is valid. */
  add(message: ReceivedMessage): MessageSummary {
    const { body, headers: _, ...rest } = message;
    const summary = summarizeMessage(body);
    this.#received++;
    this.#last = [{ ...rest, ...summary }, ...this.#last].slice(0, lastMax);
    if (message.verified) {
      this.#verified++;
      this.#bodies.push({ certificateId: summary.certificateId, body });
      if (this.#bodies.length > bodiesMax) this.#bodies.shift();
    }
    return summary;
  }

  summary(): HistorySummary {
    const received = this.#received;
    const verified = this.#verified;
    return { received, verified, rejected: received - verified, last: this.#last };
  }

  /** Returns the raw bodies of a certificate's verified messages, oldest first. */
  bodiesOf(certificateId: string): string[] {
    return this.#bodies.filter((kept) => kept.certificateId === certificateId).map(({ body }) => body);
  }
}
