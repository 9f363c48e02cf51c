import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Program } from "./program.ts";

/**
 * The configuration of a NATS server for one machine: JetStream on disk, every message synced before it is acknowledged (so a kill or a
 * power cut loses nothing acknowledged), no monitoring port. Strings are quoted as JSON, which the format reads.
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

/** A nats-server executable with JetStream. */
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
