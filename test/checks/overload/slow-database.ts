import { namedCommand, onMessage } from "../../harness/mongodb-messages.ts";
import { type ProxiedPair, proxiedUri, startTcpProxy } from "../../harness/tcp-proxy.ts";

/** Limits on the speed of a database. */
interface DatabaseSpeed {
  /** Maximum number of commands that the database executes at once; further commands wait in FIFO order. */
  readonly commandsAtOnce: number;
  /** Minimum duration of each command. */
  readonly commandMs: number;
}

// Commands with which the driver monitors the server and ends sessions; they are not delayed.
const unlimited = ["hello", "isMaster", "ismaster", "ping", "endSessions"];

/**
 * Starts a TCP proxy that makes a database slow without using the CPU, so that the database saturates before the
 * services on the same machine do.
 *
 * @param mongodbUri a connection string with one host
 */
export async function startSlowDatabase(mongodbUri: string, speed: DatabaseSpeed) {
  const slots = new Slots(speed.commandsAtOnce);
  const forward = (pair: ProxiedPair) => relay(pair, slots, speed.commandMs);
  const { address, close } = await startTcpProxy(mongodbUri, { forward });
  return { uri: proxiedUri(mongodbUri, address), close };
}

/** Forwards messages of one connection, on which the driver sends one command at a time. */
function relay({ client, server }: ProxiedPair, slots: Slots, commandMs: number): void {
  let release: (() => void) | undefined;
  const end = () => {
    release?.();
    release = undefined;
  };
  onMessage(client, (message) => {
    if (unlimited.includes(namedCommand(message)?.name ?? "hello")) {
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
  });
  onMessage(server, (message) => {
    end();
    client.write(message);
  });
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
