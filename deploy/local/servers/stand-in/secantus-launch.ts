import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "../program.ts";

/**
 * Returns the arguments that both Secantus servers accept. Without `--sync-on-commit`, kill -9 loses acknowledged
 * transactions. The empty configuration file prevents the user's own file from changing port, storage or
 * authentication.
 */
export async function secantusArguments({ port, dataDir }: Place): Promise<string[]> {
  const config = join(dataDir, "secantusd.toml");
  await writeFile(config, "");
  return [
    ...["--config", config, "--host", "127.0.0.1", "--port", String(port)],
    ...["--storage-path", join(dataDir, "storage"), "--cache-size", "1G", "--sync-on-commit"],
  ];
}
