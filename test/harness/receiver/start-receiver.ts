import { writeFile } from "node:fs/promises";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { AppendedLines } from "../../../deploy/local/stack/follow-file.ts";
import type { LocalSecrets } from "../../../deploy/local/stack/local-secrets.ts";
import { acceptsConnections } from "../../../deploy/local/stack/service-process.ts";
import type { SupervisedProcess } from "../supervisor/supervised-process.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { type LoggedRequest, RequestLog } from "./request-log.ts";

/** The webhook receiver of a stack, and the requests that it has received. */
export interface StackReceiver {
  readonly process: SupervisedProcess;
  readonly port: number;
  /** `https://host:port` */
  readonly url: string;
  /**
   * Returns the requests so far, except those that {@link takeRequests} has discarded, in the order in which
   * their last bytes arrived; incomplete requests come last.
   */
  requests(): Promise<LoggedRequest[]>;
  /** Returns the complete requests since the last call, and discards them. */
  takeRequests(): Promise<LoggedRequest[]>;
}

/**
 * Starts the receiver. Its certificate is issued by the authority that the stack's notifiers trust.
 *
 * @param seed seed of the random reactions of `wavers` paths
 */
export async function startStackReceiver(
  supervisor: Supervisor,
  { receiver: { cert, key } }: LocalSecrets,
  seed: number,
): Promise<StackReceiver> {
  const port = await freePort();
  const file = supervisor.path("received.jsonl");
  await writeFile(file, "");
  const env = {
    RECEIVER_PORT: String(port),
    RECEIVER_CERT_FILE: cert,
    RECEIVER_KEY_FILE: key,
    RECEIVER_LOG_FILE: file,
    RECEIVER_SEED: String(seed),
  };
  const isReady = () => acceptsConnections(port);
  const spec = { name: "receiver", script: "test/harness/receiver/main.ts", env, isReady };
  const process = await supervisor.startService("receiver", () => spec);
  const appended = await AppendedLines.open(file);
  supervisor.onClose(() => appended.close());
  const log = new RequestLog();
  const readNew = async () => {
    for (const line of await appended.read()) log.add(line);
  };
  return {
    process,
    port,
    url: `https://127.0.0.1:${port}`,
    requests: async () => {
      await readNew();
      return [...log.complete, ...log.incomplete];
    },
    takeRequests: async () => {
      await readNew();
      return log.takeComplete();
    },
  };
}
