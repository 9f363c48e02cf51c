import type { ServerCertificate } from "../../../deploy/local/receiver/self-signed.ts";
import { startAsked } from "../process/asked-process.ts";
import { type Collected, collected, type ReceiverRequest, receiverOpened } from "./messages.ts";

/** The receiver in a process of its own. */
export interface ReceiverProcess {
  readonly pid: number;
  readonly port: number;
  /**
   * Waits until so many messages of the notifier's have come since the last time.
   *
   * @throws Error when they do not come within a minute, or when a connection was used twice or resumed: what was measured
   * would not be a new TLS connection for each message
   */
  collect(count: number): Promise<Collected>;
  close(): Promise<void>;
}

const openWithinMs = 30_000;
const collectWithinMs = 60_000;

/** Starts the receiver. */
export async function startReceiverProcess({ certPem, keyPem }: ServerCertificate): Promise<ReceiverProcess> {
  const { pid, ask, close } = startAsked("test/bench/receiver/main.ts");
  const tell = (request: ReceiverRequest, limitMs: number) => ask(request, limitMs);
  try {
    const { port } = receiverOpened.parse(await tell({ kind: "open", certPem, keyPem }, openWithinMs));
    return {
      pid,
      port,
      collect: async (count) => {
        const seen = collected.parse(await tell({ kind: "collect", count }, collectWithinMs));
        if (seen.connections < seen.requests || seen.resumed > 0)
          throw new Error(
            `${seen.requests} messages came over ${seen.connections} connections, ${seen.resumed} of them resumed`,
          );
        return seen;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
