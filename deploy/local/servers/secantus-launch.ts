import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "./program.ts";

/**
 * The flags both Secantus servers understand. `--sync-on-commit`: without it a kill -9 loses acknowledged transactions.
 * An empty configuration file of ours keeps one of the user's from being found and changing port, storage or log-in.
 */
export async function secantusArguments({ port, dataDir }: Place): Promise<string[]> {
  const config = join(dataDir, "secantusd.toml");
  await writeFile(config, "");
  return [
    ...["--config", config, "--host", "127.0.0.1", "--port", String(port)],
    ...["--storage-path", join(dataDir, "storage"), "--cache-size", "1G", "--sync-on-commit"],
  ];
}
