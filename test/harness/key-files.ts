import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** A temporary folder of key files. */
export interface KeyFolder {
  /** Writes a key file. @param key default: 32 random bytes @returns its path */
  write(name: string, key?: Uint8Array): Promise<string>;
  remove(): Promise<void>;
}

/** Creates a folder for key files. */
export async function openKeyFolder(): Promise<KeyFolder> {
  const { path, remove } = await createTemporaryFolder("registry-test-keys");
  return {
    write: async (name, key = randomBytes(32)) => {
      const file = join(path, name);
      await writeFile(file, key);
      return file;
    },
    remove,
  };
}
