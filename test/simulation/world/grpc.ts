import { EventEmitter } from "node:events";
import { Client, Metadata, type Server, status } from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import { z } from "zod";
import type { World, WorldProcess } from "./world.ts";

const wayMaxMs = 1;
const lateMaxMs = 12_000;
// As in services/shared/rpc/channel-options.ts.
const keepaliveMs = 30_000;
const keepaliveTimeoutMs = 5_000;

type Bytes = Uint8Array;

const callback = z.custom<(...args: unknown[]) => unknown>((value) => typeof value === "function");
const bytesSchema = z.instanceof(Uint8Array);
const metadataSchema = z.instanceof(Metadata);
const unaryOptions = z.object({ deadline: z.number() });
const endOfCall = z.object({ code: z.int(), details: z.string(), metadata: z.instanceof(Metadata).optional() });

/** A method that a server offers. */
interface Offered {
  readonly decode: (bytes: Bytes) => unknown;
  readonly encode: (message: unknown) => Bytes;
  readonly handle: (...args: unknown[]) => void;
}

interface Listener {
  readonly address: string;
  readonly process: WorldProcess;
  readonly methods: ReadonlyMap<string, Offered>;
}

/**
 * gRPC between the processes of a world, below the clients and servers of grpc-js: replaces what their clients send,
 * for the code of a history. Streams keep the order of their messages. A history can make it worse.
 */
export class SimulatedGrpc {
  readonly #world: World;
  readonly #listeners = new Set<Listener>();
  readonly #connections = new Set<Connection>();
  /** The share of messages that are lost, with their connection. */
  lossRate = 0;
  /** The share of messages that are up to twelve seconds late, with those that follow on their stream. */
  lateRate = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Ends all that a history has made worse. */
  recover(): void {
    this.lossRate = 0;
    this.lateRate = 0;
  }

  /** Breaks all streams; those that call notice it, or not before their keepalive ends. */
  cutStreams(): void {
    for (const connection of this.#connections) connection.break();
  }

  /** Serves an address in a process until it is killed, with the health service. Several processes may serve one. */
  listen(address: string, process: WorldProcess, mount: (server: Pick<Server, "addService">) => void): void {
    const methods = new Map<string, Offered>();
    const server: Pick<Server, "addService"> = {
      addService: (definitions, handlers) => {
        for (const [name, definition] of Object.entries(definitions)) {
          const { path, originalName = name, requestDeserialize, responseSerialize } = definition;
          methods.set(path, {
            decode: (bytes) => requestDeserialize(Buffer.from(bytes)),
            encode: responseSerialize,
            handle: callback.parse(handlers[name] ?? handlers[originalName]),
          });
        }
      },
    };
    mount(server);
    new HealthImplementation({ "": "SERVING" }).addToServer(server);
    const listener = { address, process, methods };
    this.#listeners.add(listener);
    process.onKill.add(() => this.#listeners.delete(listener));
  }

  /** Replaces the calls of clients of grpc-js, until disposal. */
  replaceClients(): Disposable {
    const restored = new DisposableStack();
    const replaced = {
      makeUnaryRequest: (target: string, args: unknown[]) => this.#callUnary(target, args),
      makeBidiStreamRequest: (target: string, args: unknown[]) => this.#openStream(target, args),
    };
    const world = this.#world;
    const clients = new Set<Client>();
    // grpc-js lists all channels that are not closed: also those of killed processes.
    restored.defer(() => {
      for (const client of clients) client.close();
    });
    for (const [name, call] of Object.entries(replaced)) {
      const original = callback.parse(Reflect.get(Client.prototype, name));
      Reflect.set(Client.prototype, name, function inWorld(this: Client, ...args: unknown[]): unknown {
        if (!world.isInside) return Reflect.apply(original, this, args);
        clients.add(this);
        return call(this.getChannel().getTarget(), args);
      });
      restored.defer(() => Reflect.set(Client.prototype, name, original));
    }
    return restored;
  }

  /** One of the servers that accept calls at the addresses of a target. */
  #accepting(target: string): Listener | undefined {
    const addresses = target.replace(/^ipv[46]:/, "").split(",");
    const accepting = Array.from(this.#listeners).filter(({ address }) => addresses.includes(address));
    return accepting.length === 0 ? undefined : this.#world.random.pick(accepting);
  }

  /** With the arguments of `Client.makeUnaryRequest`, whose metadata may be omitted. */
  #callUnary(target: string, [path, serialize, deserialize, message, ...others]: unknown[]) {
    const [metadata, options, onReply] = others[0] instanceof Metadata ? others : [new Metadata(), ...others];
    const world = this.#world;
    const client = world.process;
    const found = this.#accepting(target);
    const offered = found?.methods.get(String(path));
    const call = new ClientCall(found?.process.name ?? "unknown");
    const replyTo = callback.parse(onReply);
    const remainingMs = unaryOptions.parse(options).deadline - Date.now();
    if (found === undefined || offered === undefined) {
      world.schedule(world.below(wayMaxMs), () => replyTo(errorOf(status.UNAVAILABLE, "no server")), client);
      return call;
    }
    const server = found.process;
    const bytes = Buffer.from(bytesSchema.parse(callback.parse(serialize)(message)));
    const handled = new ServerCall(metadataSchema.parse(metadata), String(path));
    let isOver = false;
    const finish = (...args: unknown[]) => {
      if (isOver) return;
      isOver = true;
      cancelExpiry();
      server.onKill.delete(onLost);
      client?.onKill.delete(onCallerGone);
      replyTo(...args);
    };
    const inServer = (happen: () => void) => world.schedule(world.below(wayMaxMs), happen, server);
    const cancelHandling = () => inServer(() => handled.emit("cancelled"));
    const onLost = () => {
      world.schedule(world.below(wayMaxMs), () => finish(errorOf(status.UNAVAILABLE, "connection dropped")), client);
    };
    const onCallerGone = () => cancelHandling();
    const cancelExpiry = world.schedule(
      remainingMs,
      () => {
        finish(errorOf(status.DEADLINE_EXCEEDED, "Deadline exceeded"));
        cancelHandling();
      },
      client,
    );
    call.cancel = () => {
      finish(errorOf(status.CANCELLED, "Cancelled on client"));
      cancelHandling();
    };
    client?.onKill.add(onCallerGone);
    server.onKill.add(onLost);
    // A lost connection is noticed, or nothing comes until the deadline.
    const lose = () => world.random.chance(0.5) || onLost();
    const reply = (error: unknown, answer: unknown) => {
      if (world.random.chance(this.lossRate)) return void lose();
      const { encode } = offered;
      const received = error === null ? [null, callback.parse(deserialize)(Buffer.from(encode(answer)))] : undefined;
      const args = received ?? [failureOf(error)];
      world.schedule(this.#delayMs(), () => finish(...args), client);
    };
    const handle = () => {
      handled.deadline = Date.now() + remainingMs;
      Object.assign(handled, { request: offered.decode(bytes) });
      offered.handle(handled, reply);
    };
    if (world.random.chance(this.lossRate)) lose();
    else world.schedule(this.#delayMs(), handle, server);
    return call;
  }

  #delayMs(): number {
    const world = this.#world;
    return world.below(world.random.chance(this.lateRate) ? lateMaxMs : wayMaxMs);
  }

  /** With the arguments of `Client.makeBidiStreamRequest`. */
  #openStream(target: string, [path, , , metadata]: unknown[]): ClientStream {
    const world = this.#world;
    const stream = new ClientStream();
    const found = this.#accepting(target);
    const offered = found?.methods.get(String(path));
    if (found === undefined || offered === undefined) {
      const refuse = () => stream.close(status.UNAVAILABLE, "No connection established");
      world.schedule(world.below(wayMaxMs), refuse, world.process);
      return stream;
    }
    const server = new ServerStream(metadataSchema.parse(metadata), String(path), offered.encode);
    const connection: Connection = new Connection(world, [world.process, found.process], {
      isLost: () => world.random.chance(this.lossRate),
      delayMs: () => this.#delayMs(),
      onEnd: (code, details) => {
        this.#connections.delete(connection);
        connection.inClient(() => stream.close(code, details));
        connection.inServer(() => server.cancel());
      },
    });
    this.#connections.add(connection);
    stream.connection = connection;
    stream.server = server;
    server.connection = connection;
    server.client = stream;
    connection.toServer(() => offered.handle(server));
    return stream;
  }
}

interface ConnectionOptions {
  readonly isLost: () => boolean;
  readonly delayMs: () => number;
  /** Called once. */
  readonly onEnd: (code: number, details: string) => void;
}

/** The connection of a stream, whose messages arrive in order. */
class Connection {
  readonly #world: World;
  readonly #client: WorldProcess | undefined;
  readonly #server: WorldProcess;
  readonly #options: ConnectionOptions;
  readonly #arrivesAtMs = { client: 0, server: 0 };
  readonly #onKill = () => this.end(status.UNAVAILABLE, "Connection dropped");
  #isSilent = false;
  #hasEnded = false;

  constructor(
    world: World,
    [client, server]: readonly [WorldProcess | undefined, WorldProcess],
    options: ConnectionOptions,
  ) {
    this.#world = world;
    this.#client = client;
    this.#server = server;
    this.#options = options;
    client?.onKill.add(this.#onKill);
    server.onKill.add(this.#onKill);
    this.#keepAlive();
  }

  /** Ends the connection, at both ends as soon as they learn of it. */
  end(code: number, details: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#client?.onKill.delete(this.#onKill);
    this.#server.onKill.delete(this.#onKill);
    this.#options.onEnd(code, details);
  }

  /** Loses what is sent from now on. Both ends notice it at once, or by their keepalive. */
  break(): void {
    if (this.#world.random.chance(0.5)) this.#onKill();
    else this.#isSilent = true;
  }

  toServer(happen: () => void): void {
    this.#send("server", () => this.inServer(happen, 0));
  }

  toClient(happen: () => void): void {
    this.#send("client", () => this.inClient(happen, 0));
  }

  inServer(happen: () => void, delayMs = this.#world.below(wayMaxMs)): void {
    this.#world.schedule(delayMs, happen, this.#server);
  }

  inClient(happen: () => void, delayMs = this.#world.below(wayMaxMs)): void {
    this.#world.schedule(delayMs, happen, this.#client);
  }

  #send(end: "client" | "server", arrive: () => void): void {
    const world = this.#world;
    if (this.#hasEnded || this.#isSilent) return;
    if (this.#options.isLost()) {
      this.break();
      return;
    }
    this.#arrivesAtMs[end] = Math.max(this.#arrivesAtMs[end], world.now() + this.#options.delayMs());
    const arrives = () => {
      if (!this.#hasEnded && !this.#isSilent) arrive();
    };
    world.schedule(this.#arrivesAtMs[end] - world.now(), arrives);
  }

  /** Pings from the client. The server does not send any. */
  #keepAlive(): void {
    const world = this.#world;
    const ping = () => {
      if (this.#hasEnded) return;
      let isAnswered = false;
      const expire = () => {
        if (isAnswered) this.#keepAlive();
        else this.end(status.UNAVAILABLE, "Keepalive timeout");
      };
      if (!this.#isSilent)
        this.inServer(() =>
          this.inClient(() => {
            isAnswered = true;
          }),
        );
      world.schedule(keepaliveTimeoutMs, expire, this.#client);
    };
    world.schedule(keepaliveMs, ping, this.#client);
  }
}

/** What a client of grpc-js returns for a unary call. */
class ClientCall extends EventEmitter {
  readonly #peer: string;
  cancel: () => void = () => undefined;

  constructor(peer: string) {
    super();
    this.#peer = peer;
  }

  getPeer(): string {
    return this.#peer;
  }
}

/** What a handler of grpc-js receives for any call. */
class ServerCall extends EventEmitter {
  readonly metadata: Metadata;
  deadline = Number.POSITIVE_INFINITY;
  readonly #path: string;

  constructor(metadata: Metadata, path: string) {
    super();
    this.metadata = metadata;
    this.#path = path;
  }

  getPath(): string {
    return this.#path;
  }

  getDeadline(): number {
    return this.deadline;
  }
}

/** The client's end of a stream. */
class ClientStream extends EventEmitter {
  connection: Connection | undefined;
  server: ServerStream | undefined;
  #isClosed = false;

  write(bytes: Bytes): boolean {
    const { server } = this;
    this.connection?.toServer(() => server?.emit("data", Buffer.from(bytes)));
    return true;
  }

  end(): void {
    const { server } = this;
    this.connection?.toServer(() => server?.emit("end"));
  }

  cancel(): void {
    this.connection?.end(status.CANCELLED, "Cancelled on client");
  }

  close(code: number, details: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.emit("status", { code, details, metadata: new Metadata() });
  }
}

/** The server's end of a stream. A client reads what the server writes as soon as it arrives. */
class ServerStream extends ServerCall {
  connection: Connection | undefined;
  client: ClientStream | undefined;
  readonly #encode: (message: unknown) => Bytes;

  constructor(metadata: Metadata, path: string, encode: (message: unknown) => Bytes) {
    super(metadata, path);
    this.#encode = encode;
    this.on("error", (error: unknown) => {
      const { code, details } = endOfCall.parse(error);
      this.#close(code, details);
    });
  }

  sendMetadata(metadata: Metadata): void {
    const { client } = this;
    this.connection?.toClient(() => client?.emit("metadata", metadata));
  }

  write(message: unknown): boolean {
    const { client } = this;
    const bytes = Buffer.from(this.#encode(message));
    this.connection?.toClient(() => client?.emit("data", bytes));
    return true;
  }

  end(): void {
    this.#close(status.OK, "OK");
  }

  isPaused(): boolean {
    return false;
  }

  cancel(): void {
    this.emit("cancelled");
  }

  /** The status follows what was written before. */
  #close(code: number, details: string): void {
    const { connection } = this;
    connection?.toClient(() => connection.end(code, details));
  }
}

function errorOf(code: number, details: string): Error {
  return failureOf({ code, details });
}

function failureOf(error: unknown): Error {
  const { code, details, metadata = new Metadata() } = endOfCall.parse(error);
  return Object.assign(new Error(`${code} ${details}`), { code, details, metadata });
}
