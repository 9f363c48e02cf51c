import type { z } from "zod";
import { Consumer, type Sending, type StoredMessage } from "./consumer.ts";
import {
  consumerNotFound,
  consumerRequest,
  copyBeingStored,
  JetStreamError,
  messageQuery,
  millisecondsOf,
  noMessageFound,
  pullRequest,
  streamConfig,
  streamNotFound,
  subjectNotReady,
  wrongLastSequence,
} from "./jetstream-api.ts";
import { headerOf, matches, type NatsMessage } from "./nats-protocol.ts";

interface Stream {
  config: z.infer<typeof streamConfig>;
  readonly messages: Map<number, StoredMessage>;
  lastSequence: number;
  /** The sequence and the time of each message id of the duplicate window. */
  readonly messageIds: Map<string, { readonly sequence: number; readonly atMs: number }>;
  /** The message ids and the subjects that are being stored. */
  readonly beingStored: Set<string>;
  readonly consumers: Map<string, Consumer>;
}

const parseJson = (data: Buffer): unknown => (data.length === 0 ? {} : JSON.parse(data.toString()));

/**
 * The streams of a NATS server in memory, with work-queue retention: messages with expected sequences and a duplicate
 * window, pull consumers, acknowledgements and redelivery. What it lacks is an error that names it.
 */
export class JetStream {
  readonly #sending: Sending;
  readonly #streams = new Map<string, Stream>();
  /** The messages that were lost with their storage, or their consumer, and that clients may still hold. */
  readonly #held: StoredMessage[] = [];
  #hasLeader = true;
  /** How long a message takes until it is stored, in milliseconds: longer than 0 as in a cluster. */
  storingMs: () => number = () => 0;
  /** Whether an acknowledgement, or a message on its way to a consumer, is lost. */
  isLost: () => boolean = () => false;
  /** Called with the bytes of a message that is lost with its storage and that no client can hold. */
  onGone: (data: Buffer) => void = () => undefined;

  constructor(sending: Sending) {
    this.#sending = {
      ...sending,
      sendTo: (inbox, message) => {
        if (!this.isLost()) sending.sendTo(inbox, message);
      },
    };
  }

  /** Returns the bytes of all messages whose subjects match, also of lost ones that clients may still hold. */
  messagesOf(pattern: string): Buffer[] {
    const messages = Array.from(this.#streams.values()).flatMap((stream) => Array.from(stream.messages.values()));
    return [...this.#held, ...messages].flatMap(({ subject, data }) => (matches(subject, pattern) ? data : []));
  }

  /** Loses all streams and consumers. */
  loseStorage(): void {
    for (const stream of this.#streams.values()) {
      this.#holdDelivered(stream);
      for (const { subject, data } of stream.messages.values())
        if (!this.#held.some((one) => one.subject === subject)) this.onGone(data);
      for (const consumer of stream.consumers.values()) consumer.stop();
    }
    this.#streams.clear();
  }

  /** Loses all consumers, and with them what they have delivered. The streams keep their messages. */
  loseConsumers(): void {
    for (const stream of this.#streams.values()) {
      this.#holdDelivered(stream);
      deleteConsumers(stream);
    }
  }

  #holdDelivered({ messages, consumers }: Stream): void {
    for (const message of messages.values())
      if (Array.from(consumers.values()).some((consumer) => consumer.hasDelivered(message.sequence)))
        this.#held.push(message);
  }

  /** Nobody answers until a new leader is elected. Pulls are lost; messages and deliveries are not. */
  electLeader(durationMs: number): void {
    this.#hasLeader = false;
    for (const { consumers } of this.#streams.values())
      for (const consumer of consumers.values()) consumer.end(undefined);
    setTimeout(() => {
      this.#hasLeader = true;
    }, durationMs);
  }

  /** Receives a message. @returns whether it concerns JetStream */
  receive(message: NatsMessage): boolean {
    const { subject } = message;
    if (subject.startsWith("$JS.ACK.")) return this.#acknowledge(message);
    if (!this.#hasLeader) return false;
    if (subject.startsWith("$JS.API.CONSUMER.MSG.NEXT.")) return this.#pull(message);
    if (subject.startsWith("$JS.API."))
      return this.#answer(message, () => this.#call(subject.split(".").slice(2), message));
    for (const [name, stream] of this.#streams) {
      if (!stream.config.subjects.some((pattern) => matches(subject, pattern))) continue;
      return this.#answer(message, () => this.#store(name, stream, message));
    }
    return false;
  }

  #answer({ reply }: NatsMessage, run: () => object | Promise<object>): boolean {
    const respond = (answer: object) => {
      if (reply !== undefined) this.#sending.send({ subject: reply, data: Buffer.from(JSON.stringify(answer)) });
    };
    Promise.try(run).then(respond, (error: unknown) => {
      if (!(error instanceof JetStreamError)) throw error;
      respond({ error: { code: error.code, err_code: error.errorCode, description: error.message } });
    });
    return true;
  }

  async #store(name: string, stream: Stream, message: NatsMessage): Promise<object> {
    const { messages, messageIds, beingStored } = stream;
    const { subject } = message;
    const storedAtMs = Date.now();
    const id = headerOf(message, "Nats-Msg-Id");
    if (id !== undefined && beingStored.has(id)) throw copyBeingStored();
    checkLastSequence(stream, message);
    const known = messageIds.get(id ?? "");
    if (known !== undefined && storedAtMs - known.atMs < millisecondsOf(stream.config.duplicate_window))
      return { stream: name, seq: known.sequence, duplicate: true };
    const storingMs = this.storingMs();
    if (storingMs > 0) {
      const names = id === undefined ? [subject] : [id, subject];
      for (const one of names) beingStored.add(one);
      await new Promise((resolve) => setTimeout(resolve, storingMs));
      for (const one of names) beingStored.delete(one);
    }
    const sequence = ++stream.lastSequence;
    messages.set(sequence, { ...message, sequence, storedAtMs });
    if (id !== undefined) messageIds.set(id, { sequence, atMs: storedAtMs });
    for (const consumer of stream.consumers.values()) consumer.serve();
    return { stream: name, seq: sequence };
  }

  // $JS.ACK.<stream>.<consumer>.<delivered>.<stream sequence>.<consumer sequence>.<time>.<pending>
  #acknowledge({ subject, reply, data }: NatsMessage): boolean {
    const [, , streamName = "", consumerName = "", , sequence] = subject.split(".");
    const stream = this.#streams.get(streamName);
    const consumer = stream?.consumers.get(consumerName);
    if (this.isLost()) return true;
    if (consumer?.answer(Number(sequence), data.toString())) stream?.messages.delete(Number(sequence));
    if (reply !== undefined) this.#sending.send({ subject: reply, data: Buffer.alloc(0) });
    return true;
  }

  #pull({ subject, reply = "", data }: NatsMessage): boolean {
    const [streamName = "", consumerName = ""] = subject.split(".").slice(5);
    const consumer = this.#streams.get(streamName)?.consumers.get(consumerName);
    if (consumer === undefined) return false;
    const { batch, expires } = pullRequest.parse(parseJson(data));
    consumer.pull(reply, batch, expires);
    return true;
  }

  #call([object = "", action = "", ...names]: readonly string[], { data }: NatsMessage): object {
    const name = names.at(0) ?? "";
    const request = parseJson(data);
    if (object === "INFO")
      return { memory: 0, storage: 0, streams: this.#streams.size, consumers: 0, limits: {}, api: {} };
    if (`${object}.${action}` === "STREAM.CREATE") return this.#createStream(name, streamConfig.parse(request));
    const stream = this.#streams.get(object === "STREAM" && action === "MSG" ? (names[1] ?? "") : name);
    if (stream === undefined) throw streamNotFound();
    switch (`${object}.${action}`) {
      case "STREAM.INFO":
        return streamInfo(stream);
      case "STREAM.UPDATE":
        stream.config = streamConfig.parse(request);
        return streamInfo(stream);
      case "STREAM.DELETE":
        deleteConsumers(stream);
        return { success: this.#streams.delete(name) };
      case "STREAM.PURGE":
        return { success: true, purged: purge(stream) };
      case "STREAM.MSG":
        return name === "GET"
          ? getMessage(stream, messageQuery.parse(request))
          : deleteMessage(stream, messageQuery.parse(request).seq);
      case "CONSUMER.CREATE":
        return this.#createConsumer(name, stream, names[1] ?? "", consumerRequest.parse(request).config);
      case "CONSUMER.INFO":
        return consumerInfo(stream, name, names[1] ?? "");
      case "CONSUMER.DELETE":
        return deleteConsumer(stream, names[1] ?? "");
      default:
        throw new Error(`the simulated JetStream does not know ${object}.${action}`);
    }
  }

  #createStream(name: string, config: z.infer<typeof streamConfig>): object {
    const known = this.#streams.get(name);
    if (known !== undefined) return streamInfo(known);
    const stream: Stream = {
      config,
      messages: new Map(),
      lastSequence: config.first_seq - 1,
      messageIds: new Map(),
      beingStored: new Set(),
      consumers: new Map(),
    };
    this.#streams.set(name, stream);
    return streamInfo(stream);
  }

  #createConsumer(streamName: string, stream: Stream, name: string, config: Consumer["config"]): object {
    const { consumers, messages } = stream;
    const known = consumers.get(name);
    if (known !== undefined) known.config = config;
    else consumers.set(name, new Consumer(`${streamName}.${name}`, config, messages, this.#sending));
    return consumerInfo(stream, streamName, name);
  }
}

function checkLastSequence({ messages, beingStored }: Stream, message: NatsMessage): void {
  const { subject } = message;
  const expected = headerOf(message, "Nats-Expected-Last-Subject-Sequence");
  if (expected === undefined) return;
  if (beingStored.has(subject)) throw subjectNotReady();
  const last = Array.from(messages.values()).findLast((stored) => stored.subject === subject)?.sequence ?? 0;
  if (last !== Number(expected)) throw wrongLastSequence(last);
}

function streamInfo({ config, messages, lastSequence, consumers }: Stream): object {
  const bytes = Array.from(messages.values()).reduce((total, { data }) => total + data.length, 0);
  const state = { messages: messages.size, bytes, last_seq: lastSequence, consumer_count: consumers.size };
  return { config, created: new Date().toISOString(), state };
}

function consumerInfo({ consumers, messages }: Stream, streamName: string, name: string): object {
  const consumer = consumers.get(name);
  if (consumer === undefined) throw consumerNotFound();
  const { config, unacknowledgedCount, waitingCount } = consumer;
  const count = Array.from(messages.values()).filter(({ subject }) => matches(subject, config.filter_subject)).length;
  const pending = { num_pending: count - unacknowledgedCount, num_ack_pending: unacknowledgedCount };
  return { stream_name: streamName, name, config, num_waiting: waitingCount, ...pending };
}

function deleteConsumer({ consumers }: Stream, name: string): object {
  const consumer = consumers.get(name);
  if (consumer === undefined) throw consumerNotFound();
  consumer.end("409 Consumer Deleted");
  consumer.stop();
  return { success: consumers.delete(name) };
}

function deleteConsumers(stream: Stream): void {
  for (const name of [...stream.consumers.keys()]) deleteConsumer(stream, name);
}

function getMessage({ messages }: Stream, { seq, next_by_subj: pattern }: z.infer<typeof messageQuery>): object {
  const isWanted = ({ sequence, subject }: StoredMessage) =>
    pattern === undefined ? sequence === seq : sequence >= seq && matches(subject, pattern);
  const found = Array.from(messages.values()).find(isWanted);
  if (found === undefined) throw noMessageFound();
  const { subject, sequence, headers, data, storedAtMs } = found;
  const [hdrs, bytes] = [headers?.toString("base64"), data.toString("base64")];
  return { message: { subject, seq: sequence, hdrs, data: bytes, time: new Date(storedAtMs).toISOString() } };
}

function deleteMessage({ messages, consumers }: Stream, sequence: number): object {
  if (!messages.delete(sequence)) throw noMessageFound();
  for (const consumer of consumers.values()) consumer.forget(sequence);
  return { success: true };
}

function purge(stream: Stream): number {
  const sequences = Array.from(stream.messages.keys());
  for (const sequence of sequences) deleteMessage(stream, sequence);
  return sequences.length;
}
