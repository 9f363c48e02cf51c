import { resolve } from "node:path";
import { connect } from "nats";
import { externalServer, withoutCredentials } from "./external-server.ts";
import { findNats, messagesWayOut } from "./find-nats.ts";
import type { RunningServer, ServerOptions } from "./running-server.ts";
import { SetupError, sentenceOf } from "./setup-error.ts";
import { startServer } from "./start-server.ts";
import { until } from "./until.ts";

/** Connects once and asks JetStream for its account, which fails where JetStream is off or not ready. */
async function askJetStream(url: string): Promise<void> {
  const connection = await connect({ servers: url, reconnect: false, timeout: 2_000 });
  try {
    await (await connection.jetstreamManager({ timeout: 2_000 })).getAccountInfo();
  } finally {
    await connection.close();
  }
}

async function checkMessages(url: string): Promise<void> {
  const way = "start or correct it, or unset NATS_URL to use a server of this machine";
  try {
    await askJetStream(url);
  } catch (error) {
    throw new SetupError(
      `NATS_URL (${withoutCredentials(url)}) cannot be used (${sentenceOf(error)}): ${way}.`,
    );
  }
}

/**
 * A NATS server with JetStream: the one of NATS_URL, or one found or fetched and then started here. Says in the log which.
 * SetupError when there is none.
 */
export async function startNats(options: ServerOptions): Promise<RunningServer> {
  const { log, signal, env = process.env } = options;
  const nats = await findNats({ env, log, signal });
  if ("uri" in nats) {
    log(`Messages: the server of NATS_URL (${withoutCredentials(nats.uri)}).`);
    await checkMessages(nats.uri);
    return externalServer("NATS_URL", nats.uri);
  }
  const recipe = {
    program: nats,
    dataDir: resolve(options.dataDir, nats.kind),
    remedy: messagesWayOut,
    url: (port: number) => `nats://127.0.0.1:${port}`,
    ready: (url: string, _port: number, whileWaiting: AbortSignal) =>
      until(whileWaiting, () => askJetStream(url).then(() => true)),
  };
  const server = await startServer(recipe, options);
  log(`Messages: ${server.kind} (${nats.path}) at ${server.url}.`);
  return server;
}
