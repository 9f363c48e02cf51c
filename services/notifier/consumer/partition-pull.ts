import { createInbox, type Msg, type NatsConnection, type Subscription } from "nats";
import { inboxPrefix } from "#shared/nats/connect-nats.ts";
import { consumerName, streamName } from "#shared/nats/event-stream.ts";
import { type IncomingMessage, incomingMessage } from "./incoming-message.ts";

/**
 * Why a request ended. `missing`: the consumer does not exist, or NATS is electing its leader. `abandoned`: the caller
 * no longer waits for the messages.
 */
export type PullEndReason = "filled" | "expired" | "missing" | "failed" | "abandoned";

/** How a request ended. */
export interface PullEnd {
  readonly reason: PullEndReason;
  /** The number of requested messages that did not arrive. */
  readonly unused: number;
}

/** Receives a message; `isExpected` is false if no request was open when the message arrived. */
export type OnMessage = (message: IncomingMessage, isExpected: boolean) => void;

interface Request {
  readonly number: number;
  unused: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (end: PullEnd) => void;
}

/** The name under which the notifier connects to NATS. */
export const notifierClient = "notifier";

const expiresMs = 5_000;
// The request ends after this time even without a status, because a restarted server has lost the request.
const lostAfterMs = expiresMs + 1_000;

/**
 * Pulls from the consumer of one partition, one request at a time, and never receives more messages than requested. All
 * replies go to one inbox that lives as long as this object, so a message that arrives after its request ended is still
 * delivered, instead of waiting for redelivery after ack_wait.
 */
export class PartitionPull {
  readonly #connection: NatsConnection;
  readonly #subject: string;
  readonly #inbox = createInbox(inboxPrefix(notifierClient));
  // Undefined before the first request, and after the server has refused the subscription.
  #subscription: Subscription | undefined;
  readonly #onMessage: OnMessage;
  #request: Request | undefined;
  #requests = 0;

  constructor(connection: NatsConnection, partition: number, onMessage: OnMessage) {
    this.#connection = connection;
    this.#subject = `$JS.API.CONSUMER.MSG.NEXT.${streamName}.${consumerName(partition)}`;
    this.#onMessage = onMessage;
  }

  /** Requests `count` messages; resolves when the request ends. Only one request may be open at a time. */
  request(count: number): Promise<PullEnd> {
    return new Promise((resolve) => {
      const number = ++this.#requests;
      const timer = setTimeout(() => this.#end("expired"), lostAfterMs);
      this.#request = { number, unused: count, timer, resolve };
      const options = JSON.stringify({ batch: count, expires: expiresMs * 1_000_000 });
      try {
        this.#subscription ??= this.#subscribe();
        this.#connection.publish(this.#subject, options, { reply: `${this.#inbox}.${number}` });
      } catch {
        // The connection is closed.
        this.#end("failed");
      }
    });
  }

  /** Abandons the request. Must be called after a disconnect, because the server has dropped the request. */
  abandon(): void {
    this.#end("abandoned");
  }

  /** Unsubscribes, delivers the messages already received, and abandons the request. */
  async drain(): Promise<void> {
    try {
      await this.#subscription?.drain();
    } catch {
      // The subscription is already closed.
    }
    this.#end("abandoned");
  }

  #subscribe(): Subscription {
    return this.#connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#onReply(message);
        else {
          // The server has refused the subscription, for lack of permission, and the client library has dropped it.
          this.#subscription = undefined;
          this.#end("failed");
        }
      },
    });
  }

  #onReply(message: Msg): void {
    const incoming = incomingMessage(message);
    if (incoming === undefined) {
      this.#onStatus(message);
      return;
    }
    const isExpected = this.#request !== undefined;
    if (this.#request !== undefined) this.#request.unused--;
    this.#onMessage(incoming, isExpected);
    if (this.#request?.unused === 0) this.#end("filled");
  }

  #onStatus(message: Msg): void {
    // A late status belongs to an earlier request.
    if (message.subject !== `${this.#inbox}.${this.#request?.number}`) return;
    const code = message.headers?.code;
    const description = message.headers?.description.toLowerCase() ?? "";
    if (code === 100) return;
    if (code === 404 || code === 408) this.#end("expired");
    else if (code === 503 || description.includes("consumer deleted")) this.#end("missing");
    else this.#end("failed");
  }

  #end(reason: PullEndReason): void {
    const request = this.#request;
    if (request === undefined) return;
    this.#request = undefined;
    clearTimeout(request.timer);
    request.resolve({ reason, unused: request.unused });
  }
}
