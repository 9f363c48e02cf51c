import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTemporaryFolder } from "./files/temporary-folder.ts";

/** Creates a temporary folder for key files. */
export async function openKeyFolder() {
  const { path, remove } = await createTemporaryFolder("registry-test-keys");
  return {
    /** Writes a key file. @returns its path */
    write: async (name: string, key: Uint8Array = randomBytes(32)) => {
      const file = join(path, name);
      await writeFile(file, key);
      return file;
    },
    remove,
  };
}
