import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { namesOf } from "../../deploy/local/certificates/self-signed.ts";
import { type ChildServer, spawnServer } from "../../deploy/local/servers/child-server.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import type { GrpcFiles } from "../../deploy/local/stack/grpc-certificates.ts";
import { CertificateAuthority } from "../../services/shared/tls/certificate-authority.ts";
import { natsExecutable } from "./configured-nats.ts";
import { createTemporaryFolder } from "./files/temporary-folder.ts";
import { issueFiles } from "./issue-files.ts";
import type { NatsPermissions } from "./nats-permissions.ts";

interface Place {
  readonly port: number;
  readonly clusterPort: number;
}

/**
 * Starts a cluster. A user's name is the common name of its client certificate.
 *
 * @param users the permissions of each user
 */
export async function startNatsCluster(users: Readonly<Record<string, NatsPermissions>>) {
  const folder = await createTemporaryFolder("registry-tests-nats-cluster");
  const authority = await CertificateAuthority.create();
  const files = new Map<string, GrpcFiles>();
  for (const commonName of Object.keys(users))
    files.set(commonName, await issueFiles(folder.path, authority, [], { commonName, alternativeNames: undefined }));

  const places = new Map<string, Place>();
  for (const name of ["nats-1", "nats-2", "nats-3"])
    places.set(name, { port: await freePort(), clusterPort: await freePort() });
  const configFileOf = (name: string) => join(folder.path, `${name}.conf`);
  for (const [name, place] of places) {
    const ofServer = await issueFiles(folder.path, authority, [], {
      commonName: name,
      // A server is also a client of the other servers.
      usages: ["server", "client"],
      alternativeNames: namesOf(["localhost"], ["127.0.0.1"]),
    });
    const tls = tlsSettings(ofServer);
    const routes = Array.from(places.values(), ({ clusterPort }) => `"nats://127.0.0.1:${clusterPort}"`);
    const settings = [
      `server_name: ${name}`,
      `listen: "127.0.0.1:${place.port}"`,
      `jetstream { store_dir: ${JSON.stringify(join(folder.path, name))} }`,
      `tls { ${tls}, verify_and_map: true }`,
      `authorization { users: [${Object.entries(users).map(userSettings).join(", ")}] }`,
      `cluster { name: events, listen: "127.0.0.1:${place.clusterPort}", routes: [${routes.join(", ")}], tls { ${tls} } }`,
    ];
    await writeFile(configFileOf(name), settings.join("\n"));
  }

  const command = await natsExecutable();
  const running = new Map<string, ChildServer>();
  const start = async (name: string) => {
    const launch = { command, args: ["-c", configFileOf(name)] };
    running.set(name, await spawnServer(launch, folder.path, join(folder.path, `${name}.log`)));
  };
  await Promise.all(Array.from(places.keys(), start));
  return {
    urls: Array.from(places.values(), ({ port }) => `nats://localhost:${port}`).join(","),
    filesOf: (user: string) => {
      const found = files.get(user);
      if (found === undefined) throw new Error(`the cluster has no user ${user}`);
      return found;
    },
    kill: async (name: string) => {
      const server = running.get(name);
      if (server === undefined) throw new Error(`${name} is not running`);
      running.delete(name);
      server.kill();
      await server.exited;
    },
    start,
    close: async () => {
      await Promise.all(Array.from(running.values(), (server) => server.stop()));
      await folder.remove();
    },
  };
}

function tlsSettings({ cert, key, ca }: GrpcFiles): string {
  return `cert_file: "${cert}", key_file: "${key}", ca_file: "${ca}"`;
}

function userSettings([name, permissions]: [string, NatsPermissions]): string {
  return JSON.stringify({ user: `CN=${name}`, permissions });
}
