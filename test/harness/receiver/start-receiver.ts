import { writeFile } from "node:fs/promises";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { AppendedLines } from "../../../deploy/local/stack/follow-file.ts";
import type { LocalSecrets } from "../../../deploy/local/stack/local-secrets.ts";
import { acceptsConnections } from "../../../deploy/local/stack/service-process.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { RequestLog } from "./request-log.ts";

/** The webhook receiver of a stack, and the requests that it has received. */
export type StackReceiver = Awaited<ReturnType<typeof startStackReceiver>>;

/**
 * Starts the receiver. Its certificate is issued by the authority that the stack's notifiers trust.
 *
 * @param seed seed of the random reactions of `wavers` paths
 */
export async function startStackReceiver(
  supervisor: Supervisor,
  { receiver: { cert, key } }: LocalSecrets,
  seed: number,
) {
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
    /** Returns the requests that `takeRequests` has not discarded, in order of arrival; incomplete ones last. */
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
