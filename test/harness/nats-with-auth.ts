import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnServer } from "../../deploy/local/servers/child-server.ts";
import { findNats } from "../../deploy/local/servers/find-nats.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";

/** A NATS server that asks for user and password. */
export interface LockedMessages {
  /** `host:port` */
  readonly address: string;
  /** Asks for another password from now on; who came with the earlier one is thrown out. */
  setPassword(password: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts one, for the user `registry`. */
export async function startLockedMessages(password: string): Promise<LockedMessages> {
  const folder = await mkdtemp(join(tmpdir(), "registry-tests-locked-nats-"));
  const configFile = join(folder, "nats.conf");
  const address = `127.0.0.1:${await freePort()}`;
  const configure = (current: string) =>
    writeFile(
      configFile,
      `listen: "${address}"\njetstream { store_dir: "${folder}" }\nauthorization { user: registry, password: "${current}" }\n`,
    );
  await configure(password);
  const env = { ...process.env, NATS_URL: undefined };
  const nats = await findNats({ env, log: () => undefined, signal: undefined });
  if ("uri" in nats) throw new Error("this test starts a server of its own");
  const launch = { command: nats.path, args: ["-c", configFile] };
  const server = await spawnServer(launch, folder, join(folder, "nats.log"));
  return {
    address,
    setPassword: async (current) => {
      await configure(current);
      process.kill(server.pid, "SIGHUP");
    },
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
