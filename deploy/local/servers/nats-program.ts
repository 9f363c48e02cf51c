import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Program } from "./program.ts";

/**
 * Returns the program that runs a nats-server executable with JetStream on disk and without a monitoring port. Every
 * message is synced before it is acknowledged, so a kill or a power cut loses no acknowledged message.
 */
export function natsProgram(path: string): Program<"nats-server"> {
  return {
    kind: "nats-server",
    path,
    launch: async ({ port, dataDir }) => {
      const config = join(dataDir, "nats-server.conf");
      // The configuration format accepts JSON strings.
      const jetStream = `{ store_dir: ${JSON.stringify(dataDir)}, sync_interval: always }`;
      await writeFile(config, `host: "127.0.0.1"\nport: ${port}\njetstream ${jetStream}\n`);
      return { command: path, args: ["--config", config] };
    },
  };
}
