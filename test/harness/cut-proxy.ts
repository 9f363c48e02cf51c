import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";

interface CutProxy {
  /** Listening address, `host:port`. */
  readonly address: string;
  /** Resets all open and new connections, so that nothing reaches the server. */
  cut(): void;
  /** Forwards requests but drops everything that the server sends: from now on, or from a request with `text` on. */
  loseReplies(text?: string): void;
  /** Ends the fault and resets all connections. */
  heal(): void;
  /** Returns the number of connections that were reset on arrival while {@link cut} was in effect. */
  refusedCount(): number;
  close(): Promise<void>;
}

type Pair = Readonly<Record<"client" | "server", Socket>>;

const host = "127.0.0.1";

/** Starts a TCP proxy that injects network faults. @param target `host:port` of the server */
export async function startCutProxy(target: string): Promise<CutProxy> {
  const { hostname, port } = new URL(`tcp://${target}`);
  const pairs = new Set<Pair>();
  let refused = 0;
  let fault: "none" | "cut" | "replies_lost" = "none";
  let triggerText: string | undefined;

  const breakPair = (pair: Pair) => {
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
    const pair = { client, server };
    pairs.add(pair);
    server.on("error", () => undefined);
    client.on("data", (bytes) => {
      if (triggerText !== undefined && bytes.includes(triggerText)) fault = "replies_lost";
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (fault !== "replies_lost") client.write(bytes);
    });
    client.on("close", () => breakPair(pair));
    server.on("close", () => {
      if (fault !== "replies_lost") breakPair(pair);
    });
  });
  listener.listen(0, host);
  await once(listener, "listening");
  return {
    address: `${host}:${(listener.address() as AddressInfo).port}`,
    cut: () => {
      fault = "cut";
      for (const pair of pairs) breakPair(pair);
    },
    loseReplies: (text) => {
      triggerText = text;
      if (text === undefined) fault = "replies_lost";
    },
    heal: () => {
      fault = "none";
      triggerText = undefined;
      // Without a reset, responses still in transit would reach the client.
      for (const pair of pairs) breakPair(pair);
    },
    refusedCount: () => refused,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const pair of pairs) breakPair(pair);
      }),
  };
}
