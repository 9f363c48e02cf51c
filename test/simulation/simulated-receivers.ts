import { createHmac } from "node:crypto";
import { standardSecretPrefix } from "#shared/webhook/standard-signature.ts";
import { type SimulatedSocket, SimulatedTls, type Sockets } from "./world/sockets.ts";
import type { World } from "./world/world.ts";

/** How a receiver behaves towards each message. After its first messages, `gone` answers 410. */
export type ReceiverKind = "fast" | "flaky" | "hanging" | "gone";

/** With this status, a receiver ends its subscription. */
export const goneStatus = 410;

/** A message that a receiver got. */
export interface ReceivedMessage {
  readonly eventId: string;
  readonly atMs: number;
  /** Whether one of its signatures is made with the receiver's secret. */
  readonly isTrusted: boolean;
  /** Whether the receiver has sent a final status, and which. */
  status: number | undefined;
}

interface Receiver {
  readonly host: string;
  readonly kind: ReceiverKind;
  readonly messages: ReceivedMessage[];
}

// Longer than a receiver may take without being slow; some exceed the time limit.
const hangMinMs = 2_500;
const hangMaxMs = 20_000;
const replyMaxMs = 80;
const handshakeMaxMs = 4_500;
/** How many messages a receiver accepts before it is gone. */
const acceptedMax = 3;
const headEnd = "\r\n\r\n";

/** The receivers of the stores: servers with TLS behind the simulated sockets. */
export class SimulatedReceivers {
  readonly #world: World;
  readonly #sockets: Sockets;
  /** The messages that each receiver got, by host name, in order. */
  readonly received = new Map<string, ReceivedMessage[]>();
  /** The only secret with which a receiver checks messages, by host name. Default: it trusts all. */
  readonly secrets = new Map<string, string>();
  readonly #addresses = new Map<string, string>();
  /** Whether flaky receivers work like fast ones. */
  isCalm = false;
  /** The connections that hanging receivers have open. */
  hangingCount = 0;

  constructor(world: World, sockets: Sockets) {
    this.#world = world;
    this.#sockets = sockets;
  }

  /** Starts a receiver. @returns its host name */
  start(kind: ReceiverKind): string {
    const number = this.#addresses.size + 1;
    const [host, address] = [`${kind}-${number}.example.com`, `93.184.216.${number}`];
    const messages: ReceivedMessage[] = [];
    this.#addresses.set(host, address);
    this.received.set(host, messages);
    const accept = (socket: SimulatedSocket) => this.#accept(socket, { host, kind, messages });
    this.#sockets.listen(`${address}:443`, this.#world.start(host), accept);
    return host;
  }

  /** Resolves the receivers' names. */
  readonly resolve = async (host: string): Promise<readonly string[]> => {
    const address = this.#addresses.get(host);
    return address === undefined ? [] : [address];
  };

  #accept(socket: SimulatedSocket, receiver: Receiver): void {
    const world = this.#world;
    const kind = this.#kindOf(receiver);
    socket.on("error", () => undefined);
    if (kind === "hanging") {
      this.hangingCount += 1;
      socket.once("close", () => {
        this.hangingCount -= 1;
      });
    }
    // Some connections end, or hang, before the message.
    if (kind === "flaky" && world.random.chance(0.1)) {
      if (world.random.chance(0.5)) socket.cut();
      return;
    }
    const startsInMs = kind === "flaky" && world.random.chance(0.2) ? world.below(handshakeMaxMs) : 0;
    world.schedule(startsInMs, () => this.#serve(socket, receiver));
  }

  #kindOf({ kind }: Receiver): ReceiverKind {
    return kind === "flaky" && this.isCalm ? "fast" : kind;
  }

  #serve(socket: SimulatedSocket, receiver: Receiver): void {
    const world = this.#world;
    const { host, messages } = receiver;
    const tls = new SimulatedTls(socket, "server");
    tls.on("error", () => undefined);
    let text = "";
    tls.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (!isComplete(text)) return;
      const eventId = /^(?:x-service-delivery|webhook-id): (.*)\r$/im.exec(text)?.[1] ?? "";
      const secret = this.secrets.get(host);
      const isTrusted = secret === undefined || isSigned(text, secret);
      text = "";
      const message: ReceivedMessage = { eventId, atMs: world.now(), isTrusted, status: undefined };
      messages.push(message);
      this.#reply(socket, tls, receiver, message);
    });
  }

  #reply(socket: SimulatedSocket, tls: SimulatedTls, receiver: Receiver, message: ReceivedMessage): void {
    const world = this.#world;
    const { random } = world;
    const kind = this.#kindOf(receiver);
    const usual = kind === "gone" && receiver.messages.length > acceptedMax ? goneStatus : 200;
    const isBad = kind === "flaky" && random.chance(0.4);
    const hangs = kind === "hanging" || (isBad && random.chance(0.2));
    const delayMs = hangs ? hangMinMs + world.below(hangMaxMs - hangMinMs) : world.below(replyMaxMs);
    const reply = () => {
      if (tls.destroyed) return;
      if (isBad && random.chance(0.3)) {
        socket.cut();
        return;
      }
      message.status = isBad ? random.pick([200, 204, 301, 404, 429, 500, 503]) : usual;
      tls.end(`HTTP/1.1 ${message.status} Status\r\nContent-Length: 0\r\n\r\n`);
    };
    world.schedule(delayMs, reply);
  }
}

/** Checks all signatures, as a receiver must that supports one secret. */
function isSigned(text: string, secret: string): boolean {
  const body = Buffer.from(text.slice(text.indexOf(headEnd) + headEnd.length), "latin1");
  const standard = headerOf(text, "webhook-signature");
  if (standard !== undefined) {
    const key = Buffer.from(secret.slice(standardSecretPrefix.length), "base64");
    const signed = `${headerOf(text, "webhook-id")}.${headerOf(text, "webhook-timestamp")}.`;
    const digest = createHmac("sha256", key).update(signed).update(body).digest("base64");
    return standard.split(" ").includes(`v1,${digest}`);
  }
  const digest = createHmac("sha256", secret).update(body).digest("hex");
  const signatures = text.matchAll(/^x-service-signature(?:-next|-previous)?: sha256=(.*)\r$/gim);
  return signatures.some(([, signature]) => signature === digest);
}

function headerOf(text: string, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)\\r$`, "im").exec(text)?.[1];
}

function isComplete(text: string): boolean {
  const end = text.indexOf(headEnd);
  const length = Number(/^content-length: (\d+)\r$/im.exec(text)?.[1]);
  return end >= 0 && text.length >= end + headEnd.length + length;
}
