import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import { namedCommand, onMessage } from "./mongodb-messages.ts";
import { proxiedUri, resetPair, startTcpProxy } from "./tcp-proxy.ts";

type Treatment = "forward" | "hold" | "lose_reply";

/** A TCP proxy in front of the database that injects faults into individual commands. */
interface DatabaseProxy {
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
}

/**
 * Starts a proxy.
 *
 * @param uri a connection string with one host
 * @param onEnd registers the function that stops the proxy. Default: {@link atEnd}
 */
export async function startDatabaseProxy(
  uri: string,
  onEnd: (close: () => Promise<void>) => void = atEnd,
): Promise<DatabaseProxy> {
  const treatments = new Map<string, Treatment>();
  const counts = new Map<string, number>();
  let held: (() => void)[] = [];
  const { address, close } = await startTcpProxy(uri, {
    forward: (pair) => {
      const { client, server } = pair;
      let losesReply = false;
      onMessage(client, (message) => {
        const { name = "", collection } = namedCommand(message) ?? {};
        const command = collection === undefined ? name : `${name} ${collection}`;
        counts.set(command, (counts.get(command) ?? 0) + 1);
        const treatment = treatments.get(command) ?? "forward";
        if (treatment === "lose_reply") losesReply = true;
        if (treatment === "hold") held.push(() => void server.write(message));
        else server.write(message);
      });
      server.on("data", (bytes) => (losesReply ? resetPair(pair) : void client.write(bytes)));
    },
  });
  onEnd(close);
  return {
    uri: proxiedUri(uri, address),
    hold: (command) => void treatments.set(command, "hold"),
    loseReplies: (command) => void treatments.set(command, "lose_reply"),
    count: (command) => counts.get(command) ?? 0,
    heal: () => {
      treatments.clear();
      for (const forward of held) forward();
      held = [];
    },
  };
}
