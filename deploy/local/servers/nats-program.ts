import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Program } from "./program.ts";

/**
 * Returns the configuration of a local NATS server: JetStream on disk, every message synced before it is acknowledged (a kill
 * or a power cut loses no acknowledged message), no monitoring port. The format accepts strings quoted as JSON.
 */
export function natsConfig(place: { readonly port: number; readonly storeDir: string }): string {
  return `host: "127.0.0.1"
port: ${place.port}
jetstream {
  store_dir: ${JSON.stringify(place.storeDir)}
  sync_interval: always
}
`;
}

/** Returns a nats-server executable as a program that runs with JetStream. */
export function natsProgram(path: string): Program<"nats-server"> {
  return {
    kind: "nats-server",
    path,
    launch: async ({ port, dataDir }) => {
      const config = join(dataDir, "nats-server.conf");
      await writeFile(config, natsConfig({ port, storeDir: dataDir }));
      return { command: path, args: ["--config", config] };
    },
  };
}
