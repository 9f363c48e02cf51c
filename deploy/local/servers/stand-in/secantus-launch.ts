import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "../program.ts";

/**
 * Writes an empty configuration file and returns command-line arguments that both Secantus servers accept. The file
 * prevents the user's own configuration from changing port, storage or authentication. Without `--sync-on-commit`,
 * kill -9 loses acknowledged transactions.
 */
export async function secantusArguments({ port, dataDir }: Place): Promise<string[]> {
  const config = join(dataDir, "secantusd.toml");
  await writeFile(config, "");
  return [
    ...["--config", config, "--host", "127.0.0.1", "--port", String(port)],
    ...["--storage-path", join(dataDir, "storage"), "--cache-size", "1G", "--sync-on-commit"],
  ];
}
