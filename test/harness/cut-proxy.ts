import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from "node:net";

/** A TCP proxy before a server, with faults that the test switches on and off. */
export interface CutProxy {
  /** Where it listens, `host:port`. */
  readonly address: string;
  /** Breaks all connections, and every new one as soon as it is made: nothing reaches the server. */
  cut(): void;
  /** What clients send still reaches the server; whatever the server sends from now on is lost. */
  loseReplies(): void;
  /** Ends the fault. Connections that it befell break. */
  heal(): void;
  /** Returns the number of connections that were refused during a cut. */
  refusedCount(): number;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

const host = "127.0.0.1";

/** Starts one. @param target the server's `host:port` */
export async function startCutProxy(target: string): Promise<CutProxy> {
  const { hostname, port } = new URL(`tcp://${target}`);
  const pairs = new Set<Pair>();
  let refused = 0;
  let fault: "none" | "cut" | "replies_lost" = "none";

  const breakUp = (pair: Pair) => {
    pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.server.destroy();
  };
  const listener = createServer({ noDelay: true }, (client) => {
    client.on("error", () => undefined);
    if (fault === "cut") {
      refused++;
      client.resetAndDestroy();
      return;
    }
    const server = dial({ host: hostname, port: Number(port), noDelay: true });
    const pair: Pair = { client, server };
    pairs.add(pair);
    server.on("error", () => undefined);
    client.on("data", (bytes) => void server.write(bytes));
    server.on("data", (bytes) => {
      if (fault !== "replies_lost") client.write(bytes);
    });
    client.on("close", () => breakUp(pair));
    server.on("close", () => {
      if (fault !== "replies_lost") breakUp(pair);
    });
  });
  await listen(listener);
  return {
    address: `${host}:${(listener.address() as AddressInfo).port}`,
    cut: () => {
      fault = "cut";
      for (const pair of pairs) breakUp(pair);
    },
    loseReplies: () => {
      fault = "replies_lost";
    },
    heal: () => {
      fault = "none";
      // An answer that is on its way is lost, too.
      for (const pair of pairs) breakUp(pair);
    },
    refusedCount: () => refused,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const pair of pairs) breakUp(pair);
      }),
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
}
