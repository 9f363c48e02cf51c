import { nuid } from "nats";
import { z } from "zod";
import type { SimulatedSocket, Sockets } from "../world/sockets.ts";
import type { World, WorldProcess } from "../world/world.ts";
import { JetStream } from "./jetstream.ts";
import {
  type ClientCommand,
  CommandReader,
  encodeMessage,
  matches,
  type NatsMessage,
  statusHeaders,
} from "./nats-protocol.ts";

const address = "192.0.2.4:4222";
const lossRate = 0.01;
const connectOptions = z.looseObject({ no_responders: z.boolean().default(false) });

interface Subscription {
  readonly subject: string;
  /** What each of its subjects begins with. */
  readonly prefix: string;
  delivered: number;
  /** It ends after so many messages. */
  messagesMax: number;
}

interface Client {
  readonly socket: SimulatedSocket;
  readonly subscriptions: Map<string, Subscription>;
  hasNoResponders: boolean;
}

/** A NATS server with JetStream, which the unchanged client library reaches through the sockets of a world. */
export class SimulatedNats {
  readonly url = `nats://${address}`;
  readonly process: WorldProcess;
  readonly jetStream: JetStream;
  /** Whether messages that no stream stores are lost: NATS delivers them at most once. */
  losesNotifications = false;
  readonly #world: World;
  readonly #clients = new Set<Client>();

  constructor(world: World, sockets: Sockets) {
    this.#world = world;
    // The client library keeps the state of its ids, which an earlier world may have left.
    nuid.reset();
    this.process = world.start("nats");
    this.jetStream = new JetStream({
      send: (message) => this.#deliver(message, message.subject),
      sendTo: (inbox, message) => this.#deliver(message, inbox),
      hasInterest: (inbox) => this.#hasInterest(inbox),
    });
    sockets.listen(address, this.process, (socket) => this.#accept(socket));
  }

  /** Some messages take long to be stored, and some acknowledgements and deliveries are lost. */
  worsen(): void {
    const { random } = this.#world;
    this.jetStream.storingMs = () => this.#world.below(random.chance(0.05) ? 3_000 : 5);
    this.jetStream.isLost = () => random.chance(lossRate);
  }

  recover(): void {
    this.losesNotifications = false;
    this.jetStream.storingMs = () => 0;
    this.jetStream.isLost = () => false;
  }

  /** Breaks all connections, as when the server is replaced. */
  disconnectAll(): void {
    for (const { socket } of this.#clients) socket.cut();
  }

  /** The server stops and starts again without its data: the stream and its consumers are lost. */
  loseStorage(): void {
    this.disconnectAll();
    this.jetStream.loseStorage();
  }

  /** Nobody answers for JetStream until a leader is elected. */
  electLeader(durationMs: number): void {
    this.#world.inProcess(this.process, () => this.jetStream.electLeader(durationMs));
  }

  #accept(socket: SimulatedSocket): void {
    const client: Client = { socket, subscriptions: new Map(), hasNoResponders: false };
    const reader = new CommandReader();
    this.#clients.add(client);
    socket.on("error", () => undefined);
    socket.once("close", () => this.#clients.delete(client));
    socket.on("data", (chunk: Buffer) => {
      for (const command of reader.push(chunk)) this.#run(client, command);
    });
    const info = {
      server_id: "simulated",
      server_name: "simulated",
      version: "2.11.0",
      proto: 1,
      headers: true,
      jetstream: true,
      max_payload: 1_048_576,
    };
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
  }

  #run(client: Client, command: ClientCommand): void {
    const { socket, subscriptions } = client;
    if (command.kind === "connect")
      client.hasNoResponders = connectOptions.parse(JSON.parse(command.options)).no_responders;
    else if (command.kind === "ping") socket.write("PONG\r\n");
    else if (command.kind === "subscribe") subscriptions.set(command.sid, subscribed(command.subject));
    else if (command.kind === "unsubscribe") this.#unsubscribe(client, command);
    else this.#publish(client, command.message);
  }

  #unsubscribe(
    { subscriptions }: Client,
    { sid, messagesMax }: ClientCommand & { readonly kind: "unsubscribe" },
  ): void {
    const subscription = subscriptions.get(sid);
    if (messagesMax === undefined || subscription === undefined) subscriptions.delete(sid);
    else subscription.messagesMax = messagesMax;
  }

  #publish(client: Client, message: NatsMessage): void {
    const isHandled = this.jetStream.receive(message);
    if (this.losesNotifications && !isHandled && message.reply === undefined) return;
    const isDelivered = this.#deliver(message, message.subject);
    if (isHandled || isDelivered || message.reply === undefined || !client.hasNoResponders) return;
    this.#deliver({ subject: message.reply, headers: statusHeaders("503"), data: Buffer.alloc(0) }, message.reply);
  }

  /** Sends a message to the subscriptions of a subject. @returns whether there is any */
  #deliver(message: NatsMessage, subject: string): boolean {
    let isDelivered = false;
    for (const { socket, subscriptions } of this.#clients)
      for (const [sid, subscription] of subscriptions) {
        if (!concerns(subject, subscription)) continue;
        isDelivered = true;
        socket.write(encodeMessage(message, sid));
        subscription.delivered += 1;
        if (subscription.delivered >= subscription.messagesMax) subscriptions.delete(sid);
      }
    return isDelivered;
  }

  #hasInterest(subject: string): boolean {
    for (const { socket, subscriptions } of this.#clients) {
      if (socket.destroyed) continue;
      for (const subscription of subscriptions.values()) if (concerns(subject, subscription)) return true;
    }
    return false;
  }
}

function subscribed(subject: string): Subscription {
  const prefix = subject.replace(/[*>].*/, "");
  return { subject, prefix, delivered: 0, messagesMax: Number.POSITIVE_INFINITY };
}

function concerns(subject: string, { subject: pattern, prefix }: Subscription): boolean {
  return subject.startsWith(prefix) && matches(subject, pattern);
}
