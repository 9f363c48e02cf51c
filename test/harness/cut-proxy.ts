import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

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
}

/**
 * Starts a TCP proxy that injects network faults.
 *
 * @param target `host:port` of the server
 * @param onEnd registers the function that stops the proxy. Default: {@link atEnd}
 */
export async function startCutProxy(
  target: string,
  onEnd: (close: () => Promise<void>) => void = atEnd,
): Promise<CutProxy> {
  let refused = 0;
  let fault: "none" | "cut" | "replies_lost" = "none";
  let triggerText: string | undefined;
  const { address, resetAll, close } = await startTcpProxy(`tcp://${target}`, {
    refuses: () => {
      if (fault === "cut") refused++;
      return fault === "cut";
    },
    keepsClients: () => fault === "replies_lost",
    forward: ({ client, server }) => {
      client.on("data", (bytes) => {
        if (triggerText !== undefined && bytes.includes(triggerText)) fault = "replies_lost";
        server.write(bytes);
      });
      server.on("data", (bytes) => {
        if (fault !== "replies_lost") client.write(bytes);
      });
    },
  });
  onEnd(close);
  return {
    address,
    cut: () => {
      fault = "cut";
      resetAll();
    },
    loseReplies: (text) => {
      triggerText = text;
      if (text === undefined) fault = "replies_lost";
    },
    heal: () => {
      fault = "none";
      triggerText = undefined;
      // Without a reset, responses still in transit would reach the client.
      resetAll();
    },
    refusedCount: () => refused,
  };
}
