import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { CheckProcesses } from "./processes.ts";

/** Makes the key files of a check's services, in its folder. @returns their paths */
export async function makeKeyFiles(
  processes: Pick<CheckProcesses, "path">,
): Promise<{ readonly cursorKeyFile: string; readonly secretKeyFile: string }> {
  const files = { cursorKeyFile: processes.path("cursor.key"), secretKeyFile: processes.path("secret.key") };
  for (const file of Object.values(files)) await writeFile(file, randomBytes(32));
  return files;
}
