import { createInbox, type Msg, type NatsConnection, type Subscription } from "nats";
import { consumerName, streamName } from "#shared/nats/event-stream.ts";
import { type IncomingMessage, incomingMessage } from "./incoming-message.ts";

/** Why a pull ended: all came; the time is over; the consumer is not there; something else. */
export type PullEndReason = "filled" | "expired" | "missing" | "failed" | "abandoned";

/** How a pull ended. */
export interface PullEnd {
  readonly reason: PullEndReason;
  /** Messages that were asked for and did not come. */
  readonly unused: number;
}

/** Takes a message; `isExpected` is false for one that comes after its pull was given up. */
export type TakeMessage = (message: IncomingMessage, isExpected: boolean) => void;

interface Request {
  readonly number: number;
  unused: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (end: PullEnd) => void;
}

const expiresMs = 5_000;
// A server that restarted forgets the request and never says that it expired.
const lostAfterMs = expiresMs + 1_000;

/**
 * Pulls from one partition's consumer, one request at a time, for exactly as many messages as it is told. All replies
 * come to one inbox that lives as long as this object, so a message that comes late is late and not lost for ack_wait.
 */
export class PartitionPull {
  readonly #connection: NatsConnection;
  readonly #subject: string;
  readonly #inbox = createInbox();
  readonly #subscription: Subscription;
  readonly #take: TakeMessage;
  #request: Request | undefined;
  #requests = 0;

  constructor(connection: NatsConnection, partition: number, take: TakeMessage) {
    this.#connection = connection;
    this.#subject = `$JS.API.CONSUMER.MSG.NEXT.${streamName}.${consumerName(partition)}`;
    this.#take = take;
    this.#subscription = connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#onReply(message);
        else this.#end("failed");
      },
    });
  }

  /** Asks for so many messages and resolves when the request is over. Only one request at a time. */
  request(count: number): Promise<PullEnd> {
    return new Promise((resolve) => {
      const number = ++this.#requests;
      const timer = setTimeout(() => this.#end("expired"), lostAfterMs);
      this.#request = { number, unused: count, timer, resolve };
      const options = JSON.stringify({ batch: count, expires: expiresMs * 1_000_000 });
      try {
        this.#connection.publish(this.#subject, options, { reply: `${this.#inbox}.${number}` });
      } catch {
        // The connection is closed.
        this.#end("failed");
      }
    });
  }

  /** Gives the request up: the connection was lost, and the server has forgotten it. */
  abandon(): void {
    this.#end("abandoned");
  }

  /** Ends the request at the server and takes what was already on its way. */
  async drain(): Promise<void> {
    try {
      await this.#subscription.drain();
    } catch {
      // Closed already.
    }
    this.#end("abandoned");
  }

  #onReply(message: Msg): void {
    const incoming = incomingMessage(message);
    if (incoming === undefined) {
      this.#onStatus(message);
      return;
    }
    const isExpected = this.#request !== undefined;
    if (this.#request !== undefined) this.#request.unused--;
    this.#take(incoming, isExpected);
    if (this.#request?.unused === 0) this.#end("filled");
  }

  #onStatus(message: Msg): void {
    // A status that is late belongs to an earlier request.
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
