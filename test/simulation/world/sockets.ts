import net from "node:net";
import { Duplex } from "node:stream";
import tls from "node:tls";
import { replacing } from "./seeded-globals.ts";
import type { World, WorldProcess } from "./world.ts";

const wayMaxMs = 1;

interface Listener {
  readonly process: WorldProcess;
  readonly accept: (socket: SimulatedSocket) => void;
}

/** TCP between the processes of a world: replaces `net.connect` and `tls.connect` for the code of a history. */
export class Sockets {
  readonly #world: World;
  readonly #listeners = new Map<string, Listener>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Accepts connections to `host:port` in a process. */
  listen(address: string, process: WorldProcess, accept: Listener["accept"]): void {
    this.#listeners.set(address, { process, accept });
  }

  /** Replaces the functions of Node, until disposal. */
  replaceNode(): Disposable {
    return replacing(
      () => this.#world.isInside,
      (replace) => {
        for (const name of ["connect", "createConnection"])
          replace(net, name, (first: unknown, host?: unknown, onConnect?: unknown) =>
            this.#connect(first, host, onConnect),
          );
        replace(tls, "connect", ({ socket }: { readonly socket: Duplex }) => new SimulatedTls(socket, "client"));
      },
    );
  }

  /** With the arguments of `net.connect`. */
  #connect(first: unknown, hostname: unknown, onConnect: unknown): SimulatedSocket {
    const { host, port } =
      typeof first === "object" && first !== null ? { host: "", port: 0, ...first } : { host: hostname, port: first };
    const world = this.#world;
    const socket = new SimulatedSocket(world, world.process, String(host));
    if (typeof onConnect === "function") socket.once("connect", () => Reflect.apply(onConnect, undefined, []));
    const listener = this.#listeners.get(`${host}:${port}`);
    const open = () => {
      if (listener === undefined || listener.process.isDead) socket.reset("ECONNREFUSED");
      else {
        const accepted = new SimulatedSocket(world, listener.process, "198.51.100.1");
        socket.join(accepted);
        listener.accept(accepted);
        socket.arrive(() => socket.emit("connect"));
      }
    };
    world.schedule(world.below(wayMaxMs), open, listener?.process);
    return socket;
  }
}

/** One end of a connection. Bytes arrive in order; what is under way when the connection ends is lost. */
export class SimulatedSocket extends Duplex {
  readonly remoteAddress: string;
  readonly #world: World;
  readonly #process: WorldProcess | undefined;
  readonly #onKill = () => this.#peer?.reset("ECONNRESET");
  #peer: SimulatedSocket | undefined;
  #arrivesAtMs = 0;

  constructor(world: World, process: WorldProcess | undefined, remoteAddress: string) {
    super({ allowHalfOpen: false });
    this.remoteAddress = remoteAddress;
    this.#world = world;
    this.#process = process;
    process?.onKill.add(this.#onKill);
  }

  /** Makes two sockets the ends of a connection. */
  join(peer: SimulatedSocket): void {
    this.#peer = peer;
    peer.#peer = this;
  }

  /** Something reaches this end, after all that was sent to it before. */
  arrive(happen: () => void): void {
    const world = this.#world;
    this.#arrivesAtMs = Math.max(this.#arrivesAtMs, world.now() + world.below(wayMaxMs));
    const happens = () => {
      if (!this.destroyed) happen();
    };
    world.schedule(this.#arrivesAtMs - world.now(), happens, this.#process);
  }

  /** Ends the connection with an error at this end, once that reaches it. */
  reset(code: string): void {
    this.arrive(() => this.destroy(Object.assign(new Error(code), { code })));
  }

  /** Breaks the connection: both ends fail. */
  cut(): void {
    this.#peer?.reset("ECONNRESET");
    this.reset("ECONNRESET");
  }

  setNoDelay(): this {
    return this;
  }

  override _read(): void {
    // Data is pushed when it arrives.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const peer = this.#peer;
    peer?.arrive(() => peer.push(chunk));
    done();
  }

  override _final(done: () => void): void {
    const peer = this.#peer;
    peer?.arrive(() => peer.push(null));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#process?.onKill.delete(this.#onKill);
    const peer = this.#peer;
    peer?.arrive(() => peer.push(null));
    done(error);
  }
}

// A record has a header of the content's type, a version and the length, of which only the length matters here.
const headerBytes = 5;
const hello = Buffer.from("hello");

/** One end of a TLS connection: a handshake of one round trip, then records whose contents are not encrypted. */
export class SimulatedTls extends Duplex {
  readonly authorized = true;
  readonly #transport: Duplex;
  readonly #isServer: boolean;
  #received = Buffer.alloc(0);
  #isOpen = false;

  constructor(transport: Duplex, end: "client" | "server") {
    super({ allowHalfOpen: false });
    this.#transport = transport;
    this.#isServer = end === "server";
    transport.on("data", (chunk: Buffer) => this.#receive(chunk));
    transport.on("error", (error) => this.destroy(error));
    transport.once("end", () => this.push(null));
    transport.once("close", () => this.destroy());
    if (!this.#isServer) transport.write(record(hello));
  }

  isSessionReused(): boolean {
    return false;
  }

  getProtocol(): string {
    return "TLSv1.3";
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= headerBytes) {
      const end = headerBytes + this.#received.readUInt16BE(3);
      if (this.#received.length < end) return;
      const content = this.#received.subarray(headerBytes, end);
      this.#received = this.#received.subarray(end);
      if (this.#isOpen) this.push(content);
      else this.#open();
    }
  }

  #open(): void {
    this.#isOpen = true;
    if (this.#isServer) this.#transport.write(record(hello));
    this.emit("secureConnect");
  }

  override _read(): void {
    // Data is pushed when it arrives.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#transport.write(record(chunk), done);
  }

  override _final(done: () => void): void {
    this.#transport.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#transport.destroy();
    done(error);
  }
}

function record(content: Buffer): Buffer {
  const header = Buffer.from([0x17, 3, 3, 0, 0]);
  header.writeUInt16BE(content.length, 3);
  return Buffer.concat([header, content]);
}
