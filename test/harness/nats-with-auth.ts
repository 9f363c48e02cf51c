import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnServer } from "../../deploy/local/servers/child-server.ts";
import { findNats } from "../../deploy/local/servers/find-nats.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** Starts a NATS server that requires the user `registry` and a password. */
export async function startNatsWithAuth(password: string) {
  const folder = await createTemporaryFolder("registry-tests-nats-auth");
  const configFile = join(folder.path, "nats.conf");
  const address = `127.0.0.1:${await freePort()}`;
  const configure = (current: string) =>
    writeFile(
      configFile,
      `listen: "${address}"\njetstream { store_dir: "${folder.path}" }\nauthorization { user: registry, password: "${current}" }\n`,
    );
  await configure(password);
  const env = { ...process.env, NATS_URL: undefined };
  const nats = await findNats({ env, log: () => undefined, signal: undefined });
  if ("uri" in nats) throw new Error("this test needs a server that it can configure");
  const launch = { command: nats.path, args: ["-c", configFile] };
  const server = await spawnServer(launch, folder.path, join(folder.path, "nats.log"));
  return {
    address,
    /** Changes the password and disconnects the clients that used the old password. */
    setPassword: async (current: string) => {
      await configure(current);
      process.kill(server.pid, "SIGHUP");
    },
    close: async () => {
      await server.stop();
      await folder.remove();
    },
  };
}
