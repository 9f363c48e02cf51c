import { rm } from "node:fs/promises";
import { join } from "node:path";
import { connect, type NatsConnection } from "nats";
import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { startNats } from "../../deploy/local/servers/nats-server.ts";
import { createTemporaryFolder } from "./files/temporary-folder.ts";

/** A NATS server for only one test or test file, because all registries use the same stream name. */
export type TestNats = Awaited<ReturnType<typeof startTestNats>>;

/** Starts a server. @param onEnd registers the function that stops it and deletes its data. Default: {@link atEnd} */
export async function startTestNats(onEnd: (close: () => Promise<void>) => void = atEnd) {
  const folder = await createTemporaryFolder("registry-tests-nats");
  const dataDir = join(folder.path, "data");
  const options = {
    dataDir,
    port: await freePort(),
    log: () => undefined,
    logFile: join(folder.path, "nats.log"),
    // A server that runs elsewhere cannot be stopped and may already have a stream.
    env: { ...process.env, NATS_URL: undefined },
  };
  let server = await startNats(options);
  onEnd(async () => {
    await server.stop();
    await folder.remove();
  });
  return {
    url: server.url,
    stop: () => server.stop(),
    crash: async () => {
      server.kill();
      await server.exited;
    },
    start: async () => {
      server = await startNats(options);
    },
    deleteData: () => rm(dataDir, { recursive: true, force: true }),
  };
}

/** Connects to a NATS server; fails without a retry if the server is unavailable. */
export function connectForTest(url: string): Promise<NatsConnection> {
  return connect({ servers: url, reconnect: false, timeout: 60_000 });
}
