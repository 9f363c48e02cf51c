import { factsOf, type MessageFacts, type ReceivedMessage } from "./received-message.ts";

type Shown = Omit<ReceivedMessage, "body"> & MessageFacts;

/** What `GET /` answers. */
export interface BoxSummary {
  readonly received: number;
  readonly verified: number;
  readonly rejected: number;
  /** The newest 20, newest first. */
  readonly last: readonly Shown[];
}

const lastMax = 20;
const keptMax = 10_000;

/** Keeps what came, in memory: counts, the newest 20, and the texts of the newest 10,000 verified messages. */
export class MessageBox {
  #received = 0;
  #verified = 0;
  #last: Shown[] = [];
  readonly #kept: { readonly certificateId: string; readonly body: string }[] = [];

  /** Keeps a message; the text only of a verified one. */
  add(message: ReceivedMessage): MessageFacts {
    const { body, ...rest } = message;
    const facts = factsOf(body);
    this.#received++;
    this.#last = [{ ...rest, ...facts }, ...this.#last].slice(0, lastMax);
    if (message.verified) {
      this.#verified++;
      this.#kept.push({ certificateId: facts.certificateId, body });
      if (this.#kept.length > keptMax) this.#kept.shift();
    }
    return facts;
  }

  /** Counts and the newest messages, without their texts. */
  summary(): BoxSummary {
    const received = this.#received;
    const verified = this.#verified;
    return { received, verified, rejected: received - verified, last: this.#last };
  }

  /** The raw texts of a certificate's verified messages, oldest first. */
  textsOf(certificateId: string): string[] {
    return this.#kept.filter((kept) => kept.certificateId === certificateId).map(({ body }) => body);
  }
}
