import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openTemporaryFolder } from "./files/temporary-folder.ts";

/** Creates a temporary folder for key files. @param onEnd registers its removal, such as `onTestFinished` */
export async function openKeyFolder(onEnd: (remove: () => Promise<void>) => void) {
  const path = await openTemporaryFolder("registry-test-keys", onEnd);
  return {
    /** Writes a key file. @returns its path */
    write: async (name: string, key: Uint8Array = randomBytes(32)) => {
      const file = join(path, name);
      await writeFile(file, key);
      return file;
    },
  };
}
