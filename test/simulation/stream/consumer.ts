import type { z } from "zod";
import { type consumerConfig, millisecondsOf, nakOptions } from "./jetstream-api.ts";
import { matches, type NatsMessage, statusHeaders } from "./nats-protocol.ts";

/** A message of a stream. */
export interface StoredMessage extends NatsMessage {
  readonly sequence: number;
  readonly storedAtMs: number;
}

/** How a stream and its consumers send messages. */
export interface Sending {
  readonly send: (message: NatsMessage) => void;
  /** Sends a message with its own subject to an inbox. */
  readonly sendTo: (inbox: string, message: NatsMessage) => void;
  /** Returns whether anyone subscribes to an inbox. */
  readonly hasInterest: (inbox: string) => boolean;
}

interface Pull {
  readonly inbox: string;
  left: number;
  readonly timer: NodeJS.Timeout | undefined;
}

interface Delivery {
  count: number;
  /** `undefined` if the message is due. */
  timer: NodeJS.Timeout | undefined;
}

/** A durable pull consumer of a stream with explicit acknowledgements. */
export class Consumer {
  config: z.infer<typeof consumerConfig>;
  readonly #name: string;
  readonly #messages: ReadonlyMap<number, StoredMessage>;
  readonly #sending: Sending;
  readonly #pulls: Pull[] = [];
  /** Those that have been delivered, by their sequence in the stream. */
  readonly #deliveries = new Map<number, Delivery>();
  #examined = 0;
  #sequence = 0;

  /** @param name `stream.consumer` */
  constructor(
    name: string,
    config: z.infer<typeof consumerConfig>,
    messages: ReadonlyMap<number, StoredMessage>,
    sending: Sending,
  ) {
    this.#name = name;
    this.config = config;
    this.#messages = messages;
    this.#sending = sending;
  }

  /** The number of pulls that wait for messages. */
  get waitingCount(): number {
    return this.#pulls.filter(({ inbox }) => this.#sending.hasInterest(inbox)).length;
  }

  /** How many messages are delivered and not acknowledged. */
  get unacknowledgedCount(): number {
    return this.#deliveries.size;
  }

  /** Whether a message is delivered and not acknowledged. */
  hasDelivered(sequence: number): boolean {
    return this.#deliveries.has(sequence);
  }

  pull(inbox: string, count: number, expiresMs: number | undefined): void {
    const expire = () => this.#endPull(pull, "408 Request Timeout");
    const timer = expiresMs === undefined ? undefined : setTimeout(expire, expiresMs);
    const pull: Pull = { inbox, left: count, timer };
    this.#pulls.push(pull);
    this.serve();
    if (expiresMs === undefined && pull.left > 0) this.#endPull(pull, "404 No Messages");
  }

  /** Ends all pulls, as when the consumer is deleted, or its leader is. */
  end(status: string | undefined): void {
    for (const pull of [...this.#pulls]) this.#endPull(pull, status);
  }

  /** Ends all timers. */
  stop(): void {
    this.end(undefined);
    for (const { timer } of this.#deliveries.values()) clearTimeout(timer);
    this.#deliveries.clear();
  }

  /** @returns whether the message is acknowledged */
  answer(sequence: number, answer: string): boolean {
    const delivery = this.#deliveries.get(sequence);
    if (delivery === undefined) return false;
    const [verb = "", ...rest] = answer.split(" ");
    if (verb === "+WPI") this.#deliverAfter(delivery, millisecondsOf(this.config.ack_wait));
    else if (verb === "-NAK") {
      const delayMs = rest.length === 0 ? 0 : nakOptions.parse(JSON.parse(rest.join(" "))).delay;
      this.#deliverAfter(delivery, delayMs);
    } else {
      this.forget(sequence);
      return true;
    }
    return false;
  }

  /** A message has left the stream. */
  forget(sequence: number): void {
    clearTimeout(this.#deliveries.get(sequence)?.timer);
    this.#deliveries.delete(sequence);
  }

  /** Delivers messages to the pulls that wait. */
  serve(): void {
    for (;;) {
      const [pull] = this.#pulls;
      if (pull === undefined) return;
      if (!this.#sending.hasInterest(pull.inbox)) {
        this.#endPull(pull, undefined);
        continue;
      }
      const message = this.#next();
      if (message === undefined) return;
      this.#deliver(pull, message);
    }
  }

  /** The oldest message that is due again, otherwise the next new one. */
  #next(): StoredMessage | undefined {
    for (const [sequence, { timer }] of this.#deliveries) if (timer === undefined) return this.#messages.get(sequence);
    for (const message of this.#messages.values()) {
      if (message.sequence <= this.#examined) continue;
      this.#examined = message.sequence;
      if (matches(message.subject, this.config.filter_subject)) return message;
    }
    return undefined;
  }

  #deliver(pull: Pull, message: StoredMessage): void {
    const { sequence, storedAtMs, subject, headers, data } = message;
    const delivery = this.#deliveries.get(sequence) ?? { count: 0, timer: undefined };
    delivery.count += 1;
    this.#sequence += 1;
    this.#deliveries.set(sequence, delivery);
    this.#deliverAfter(delivery, millisecondsOf(this.config.ack_wait));
    const reply = `$JS.ACK.${this.#name}.${delivery.count}.${sequence}.${this.#sequence}.${storedAtMs * 1e6}.0`;
    this.#sending.sendTo(pull.inbox, { subject, reply, headers, data });
    pull.left -= 1;
    if (pull.left === 0) this.#endPull(pull, undefined);
  }

  #deliverAfter(delivery: Delivery, delayMs: number): void {
    clearTimeout(delivery.timer);
    const isDue = () => {
      delivery.timer = undefined;
      this.serve();
    };
    delivery.timer = setTimeout(isDue, delayMs);
  }

  #endPull(pull: Pull, status: string | undefined): void {
    const index = this.#pulls.indexOf(pull);
    if (index < 0) return;
    this.#pulls.splice(index, 1);
    clearTimeout(pull.timer);
    if (status === undefined) return;
    const headers = statusHeaders(status, { "Nats-Pending-Messages": pull.left, "Nats-Pending-Bytes": 0 });
    this.#sending.send({ subject: pull.inbox, headers, data: Buffer.alloc(0) });
  }
}
