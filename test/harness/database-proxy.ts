import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";

type Treatment = "forward" | "hold" | "lose_reply";

/** A TCP proxy in front of the database that injects faults into individual commands. */
export interface DatabaseProxy {
  /** Connection string of the database, with the proxy's address. */
  readonly uri: string;
  /**
   * Holds back every command of this kind until {@link heal}.
   *
   * @param command name and collection, such as `find certificates`; only the name for a command without a collection
   */
  hold(command: string): void;
  /** Forwards commands of this kind, but resets the connection instead of returning a reply, until {@link heal}. */
  loseReplies(command: string): void;
  /** Returns how many commands of this kind have arrived. */
  count(command: string): number;
  /** Ends the faults and forwards held commands. */
  heal(): void;
  close(): Promise<void>;
}

const host = "127.0.0.1";

/** Starts a proxy. @param uri a connection string with one host */
export async function startDatabaseProxy(uri: string): Promise<DatabaseProxy> {
  const target = new URL(uri);
  const treatments = new Map<string, Treatment>();
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  let held: (() => void)[] = [];

  const listener = createServer({ noDelay: true }, (client) => {
    const server = dial({ host: target.hostname, port: Number(target.port), noDelay: true });
    let losesReply = false;
    const reset = () => {
      client.resetAndDestroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        reset();
      });
    }
    onFrame(client, (frame) => {
      const command = commandOf(frame);
      counts.set(command, (counts.get(command) ?? 0) + 1);
      const treatment = treatments.get(command) ?? "forward";
      if (treatment === "lose_reply") losesReply = true;
      if (treatment === "hold") held.push(() => void server.write(frame));
      else server.write(frame);
    });
    server.on("data", (bytes) => (losesReply ? reset() : void client.write(bytes)));
  });
  listener.listen(0, host);
  await once(listener, "listening");
  const proxied = new URL(uri);
  proxied.host = `${host}:${(listener.address() as AddressInfo).port}`;
  return {
    uri: proxied.href,
    hold: (command) => void treatments.set(command, "hold"),
    loseReplies: (command) => void treatments.set(command, "lose_reply"),
    count: (command) => counts.get(command) ?? 0,
    heal: () => {
      treatments.clear();
      for (const forward of held) forward();
      held = [];
    },
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Splits a stream into messages of the MongoDB wire protocol, which begin with their length. */
function onFrame(socket: Socket, handle: (frame: Buffer) => void): void {
  let received = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    received = Buffer.concat([received, bytes]);
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const length = received.readInt32LE(0);
      handle(received.subarray(0, length));
      received = received.subarray(length);
    }
  });
}

// OP_MSG: header (16 bytes), flags (4), kind of the first section (1), length of its document (4), type of its first
// element (1), then the element's name, which is the command's name, and its value, which is the collection.
const nameAt = 26;

function commandOf(frame: Buffer): string {
  const nameEnd = frame.indexOf(0, nameAt);
  const name = frame.toString("latin1", nameAt, nameEnd);
  if (frame[nameAt - 1] !== 2) return name;
  const valueAt = nameEnd + 5;
  return `${name} ${frame.toString("latin1", valueAt, frame.indexOf(0, valueAt))}`;
}
