import { appendFile, readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { closeHttp, listenHttp } from "#shared/http/operations-server.ts";
import type { ReceiverConfig } from "./config.ts";
import { MessageHistory } from "./message-history.ts";
import { receiverHandler } from "./receiver-handler.ts";

/**
 * Starts the demo receiver.
 *
 * @param print receives lines without a line break: the receiver's URL, then one line per message
 * @throws Error when a file cannot be used or the port is in use
 */
export async function startReceiver(config: ReceiverConfig, print: (line: string) => void) {
  // Read for each message, so that a secret can be rotated without a restart.
  const readSecrets = async () =>
    (await readFile(config.secretFile, "utf8")).split(/\s+/).filter((secret) => secret !== "");
  if ((await readSecrets()).length === 0)
    throw new Error(
      "The file named by RECEIVER_SECRET_FILE contains no secret, so no message can be verified: write the signing secret to the file.",
    );
  const logFile = config.logFile;
  const handler = receiverHandler({
    readSecrets,
    history: new MessageHistory(),
    onMessage: async (message, { event, serial }) => {
      if (message.verified && logFile !== undefined) await appendFile(logFile, `${JSON.stringify(message)}\n`);
      const verified = `verified: ${message.verified ? "yes" : "no"}`;
      print(`${message.receivedAt}  ${event.padEnd(11)}  certificate ${serial}  ${verified}`);
    },
  });
  const cert = await readFile(config.certFile);
  const key = await readFile(config.keyFile);
  const server = createServer({ cert, key }, handler);
  const port = await listenHttp(server, config.host, config.port);
  print(`Receiver at https://${config.host}:${port}/`);
  return { port, stop: () => closeHttp(server, 2_000) };
}
