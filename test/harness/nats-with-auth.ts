import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnServer } from "../../deploy/local/servers/child-server.ts";
import { findNats } from "../../deploy/local/servers/find-nats.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** A NATS user and the subjects that it may use. */
export interface NatsUser {
  readonly user: string;
  readonly password: string;
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Starts a NATS server that requires the user `registry` and a password. */
export async function startNatsWithAuth(password: string) {
  const authorization = (current: string) => `user: registry, password: "${current}"`;
  const { configure, pid, ...server } = await startWithConfiguration(authorization(password));
  return {
    ...server,
    /** Changes the password and disconnects the clients that used the old password. */
    setPassword: async (current: string) => {
      await configure(authorization(current));
      process.kill(pid, "SIGHUP");
    },
  };
}

/** Starts a NATS server whose users may use only the given subjects. */
export async function startNatsWithUsers(users: readonly NatsUser[]) {
  const permissions = users.map(({ user, password, publish, subscribe }) =>
    JSON.stringify({ user, password, permissions: { publish, subscribe } }),
  );
  const { address, close } = await startWithConfiguration(`users: [${permissions.join(", ")}]`);
  return { address, close };
}

async function startWithConfiguration(authorization: string) {
  const folder = await createTemporaryFolder("registry-tests-nats-auth");
  const configFile = join(folder.path, "nats.conf");
  const address = `127.0.0.1:${await freePort()}`;
  const configure = (current: string) =>
    writeFile(
      configFile,
      `listen: "${address}"\njetstream { store_dir: "${folder.path}" }\nauthorization { ${current} }\n`,
    );
  await configure(authorization);
  const env = { ...process.env, NATS_URL: undefined };
  const nats = await findNats({ env, log: () => undefined, signal: undefined });
  if ("uri" in nats) throw new Error("this test needs a server that it can configure");
  const launch = { command: nats.path, args: ["-c", configFile] };
  const server = await spawnServer(launch, folder.path, join(folder.path, "nats.log"));
  return {
    address,
    pid: server.pid,
    configure,
    close: async () => {
      await server.stop();
      await folder.remove();
    },
  };
}
