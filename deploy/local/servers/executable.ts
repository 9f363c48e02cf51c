import which from "which";
import { setting } from "./setup-context.ts";

/** Returns whether the path is a file that this user may execute. */
export async function isExecutable(path: string): Promise<boolean> {
  return (await which(path, { nothrow: true })) !== null;
}

/** Returns the first executable of this name on the PATH of `env`, or undefined. */
export async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // Without the option `path`, `which` would search the PATH of this process; with an empty value, the current folder.
  const path = setting(env, "PATH");
  return path === undefined ? undefined : ((await which(name, { path, nothrow: true })) ?? undefined);
}
