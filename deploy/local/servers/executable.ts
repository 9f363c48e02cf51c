import { access, constants, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setting } from "./setup-context.ts";

const suffix = process.platform === "win32" ? ".exe" : "";

/** The file name of an executable on this system. */
export function executableName(name: string): string {
  return name + suffix;
}

/** Whether the path is a file that may be run. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The first executable of this name on the PATH, or undefined. */
export async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (setting(env, "PATH") ?? "").split(delimiter)) {
    const path = join(folder, executableName(name));
    if (folder !== "" && (await isExecutable(path))) return path;
  }
  return undefined;
}
