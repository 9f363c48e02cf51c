import { resolve } from "node:path";
import { connect } from "nats";
import { externalServer, unusableServer, withoutCredentials } from "./external-server.ts";
import { findNats, natsRemedy } from "./find-nats.ts";
import type { RunningServer, ServerOptions } from "./running-server.ts";
import { startServer } from "./start-server.ts";
import { until } from "./until.ts";

/** Connects and requests the JetStream account information, which fails when JetStream is disabled or not ready. */
async function pingJetStream(url: string): Promise<void> {
  const connection = await connect({ servers: url, reconnect: false, timeout: 2_000 });
  try {
    await (await connection.jetstreamManager({ timeout: 2_000 })).getAccountInfo();
  } finally {
    await connection.close();
  }
}

/**
 * Starts a NATS server with JetStream, or connects to the server at NATS_URL. Installs a server when none is installed,
 * and logs which server is used.
 *
 * @throws SetupError when no server is available, or the server cannot be started or used
 */
export async function startNats(options: ServerOptions): Promise<RunningServer> {
  const { log, signal, env = process.env } = options;
  const nats = await findNats({ env, log, signal });
  if ("uri" in nats) {
    log(`NATS: the server at NATS_URL (${withoutCredentials(nats.uri)}).`);
    await pingJetStream(nats.uri).catch((error: unknown) => {
      throw unusableServer("NATS_URL", nats.uri, error);
    });
    return externalServer("NATS_URL", nats.uri);
  }
  const recipe = {
    program: nats,
    dataDir: resolve(options.dataDir, nats.kind),
    remedy: natsRemedy,
    url: (port: number) => `nats://127.0.0.1:${port}`,
    ready: (url: string, _port: number, whileWaiting: AbortSignal) =>
      until(whileWaiting, () => pingJetStream(url).then(() => true)),
  };
  const server = await startServer(recipe, options);
  log(`NATS: ${server.kind} (${nats.path}) at ${server.url}.`);
  return server;
}
