import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnServer } from "../../deploy/local/servers/child-server.ts";
import { findNats } from "../../deploy/local/servers/find-nats.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { createTemporaryFolder } from "./files/temporary-folder.ts";

/** Returns the path of the nats-server executable; ignores NATS_URL, because tests must configure the server. */
export async function natsExecutable(): Promise<string> {
  const env = { ...process.env, NATS_URL: undefined };
  const nats = await findNats({ env, log: () => undefined, signal: undefined });
  if ("uri" in nats) throw new Error("this test needs a server that it can configure");
  return nats.path;
}

/** Starts a NATS server with JetStream and additional settings in the format of its configuration file. */
export async function startConfiguredNats(settings: string) {
  const folder = await createTemporaryFolder("registry-tests-nats");
  const configFile = join(folder.path, "nats.conf");
  const address = `127.0.0.1:${await freePort()}`;
  const write = (current: string) =>
    writeFile(configFile, `listen: "${address}"\njetstream { store_dir: "${folder.path}" }\n${current}\n`);
  const launch = { command: await natsExecutable(), args: ["-c", configFile] };
  const start = async (current: string) => {
    await write(current);
    return spawnServer(launch, folder.path, join(folder.path, "nats.log"));
  };
  let server = await start(settings);
  return {
    address,
    /** Makes the running server reload its configuration; does not wait for the reload. */
    configure: async (current: string) => {
      await write(current);
      process.kill(server.pid, "SIGHUP");
    },
    restart: async (current: string) => {
      await server.stop();
      server = await start(current);
    },
    close: async () => {
      await server.stop();
      await folder.remove();
    },
  };
}
