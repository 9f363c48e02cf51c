import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type NatsConnection } from "nats";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { startNats } from "../../deploy/local/servers/nats-server.ts";
import type { RunningServer } from "../../deploy/local/servers/running-server.ts";

/** A NATS server for one test file: the name of the stream is one for a whole server, so files do not share it. */
export interface OwnMessages {
  readonly url: string;
  /** Stops the server; what it stored stays. */
  stop(): Promise<void>;
  /** Starts it again on the same port, with what it stored. */
  start(): Promise<void>;
  /** Removes what a stopped server stored. */
  forget(): Promise<void>;
  /** Stops the server and removes what it stored. */
  close(): Promise<void>;
}

/** Starts one. */
export async function startOwnMessages(): Promise<OwnMessages> {
  const folder = await mkdtemp(join(tmpdir(), "registry-tests-nats-"));
  const dataDir = join(folder, "data");
  const port = await freePort();
  // A server that somebody else runs cannot be stopped here, and may hold a stream already.
  const env = { ...process.env, NATS_URL: undefined };
  const launch = (): Promise<RunningServer> =>
    startNats({ dataDir, port, log: () => undefined, logFile: join(folder, "nats.log"), env });
  const remove = (path: string) => rm(path, { recursive: true, force: true });
  let server = await launch();
  return {
    url: server.url,
    stop: () => server.stop(),
    start: async () => {
      server = await launch();
    },
    forget: () => remove(dataDir),
    close: async () => {
      await server.stop();
      await remove(folder);
    },
  };
}

/** A connection for looking; it does not wait for a server that is away. */
export function connectForTest(url: string): Promise<NatsConnection> {
  return connect({ servers: url, reconnect: false, timeout: 5_000 });
}
