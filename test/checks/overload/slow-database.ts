import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { commandName, MessageSplitter } from "./command-messages.ts";

/** Limits on the speed of a database. */
export interface DatabaseSpeed {
  /** Maximum number of commands that the database executes at once; further commands wait in FIFO order. */
  readonly commandsAtOnce: number;
  /** Minimum duration of each command. */
  readonly commandMs: number;
}

/** A proxy that slows down a database. */
export interface SlowDatabase {
  /** Connection string that leads through the proxy. */
  readonly uri: string;
  close(): Promise<void>;
}

// Commands with which the driver monitors the server and ends sessions; they are not delayed.
const unlimited = ["hello", "isMaster", "ismaster", "ping", "endSessions"];

/**
 * Starts a TCP proxy that makes a database slow without using the CPU, so that the database saturates before the
 * services on the same machine do.
 *
 * @param mongodbUri a connection string with one host
 */
export async function startSlowDatabase(mongodbUri: string, speed: DatabaseSpeed): Promise<SlowDatabase> {
  const { hostname, port } = new URL(mongodbUri);
  const slots = new Slots(speed.commandsAtOnce);
  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect({ host: hostname, port: Number(port), noDelay: true });
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => sockets.delete(socket));
    }
    relay(client, server, slots, speed.commandMs);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const uri = new URL(mongodbUri);
  uri.hostname = "127.0.0.1";
  uri.port = String((listener.address() as AddressInfo).port);
  return {
    uri: uri.href,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Forwards messages of one connection, on which the driver sends one command at a time. */
function relay(client: Socket, server: Socket, slots: Slots, commandMs: number): void {
  const [requests, responses] = [new MessageSplitter(), new MessageSplitter()];
  let release: (() => void) | undefined;
  const forward = (message: Buffer) => {
    if (unlimited.includes(commandName(message) ?? "hello")) {
      server.write(message);
      return;
    }
    slots.acquire((releaseSlot) => {
      if (client.destroyed) {
        releaseSlot();
        return;
      }
      release = releaseSlot;
      setTimeout(() => server.write(message), commandMs);
    });
  };
  client.on("data", (bytes) => requests.add(bytes).forEach(forward));
  server.on("data", (bytes) => {
    for (const message of responses.add(bytes)) {
      release?.();
      release = undefined;
      client.write(message);
    }
  });
  const end = () => {
    release?.();
    release = undefined;
    client.destroy();
    server.destroy();
  };
  client.once("close", end);
  server.once("close", end);
}

/** A counting semaphore with a FIFO queue. */
class Slots {
  #free: number;
  readonly #waiting: ((release: () => void) => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  acquire(work: (release: () => void) => void): void {
    this.#waiting.push(work);
    this.#next();
  }

  #next(): void {
    if (this.#free === 0) return;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    this.#free--;
    work(() => {
      this.#free++;
      this.#next();
    });
  }
}
