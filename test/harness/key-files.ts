import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Files with keys, in a folder of their own. */
export interface KeyFolder {
  /** Writes a file. @param key default: a random one */
  write(name: string, key?: Uint8Array): Promise<string>;
  remove(): Promise<void>;
}

/** Makes a folder for keys. */
export async function openKeyFolder(): Promise<KeyFolder> {
  const folder = await mkdtemp(join(tmpdir(), "registry-test-keys-"));
  return {
    write: async (name, key = randomBytes(32)) => {
      const file = join(folder, name);
      await writeFile(file, key);
      return file;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
