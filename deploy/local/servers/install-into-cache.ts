import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { withCacheLock } from "./cache-lock.ts";
import { type SetupContext, setting } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";

/** A program that can be installed into the cache. */
export interface CacheEntry {
  /** Name of its folder in the cache; contains the version. */
  readonly name: string;
  /** Returns whether a folder contains a complete installation. */
  isComplete(folder: string): Promise<boolean>;
  /** Installs into a new empty folder, which is moved to its final place if the installation is complete. */
  install(folder: string): Promise<void>;
}

/** Returns the folder of installed servers: `certificate-registry` in `$XDG_CACHE_HOME` or `~/.cache`. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  return join(setting(env, "XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "certificate-registry");
}

/** Returns the path of an entry's folder. The folder may not exist. */
export function entryFolder(entry: { name: string }, env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), entry.name);
}

const partPrefix = (folder: string) => `${folder}.part-`;

/** Removes the folders of interrupted installations. The caller must hold the lock. */
async function removeParts(folder: string): Promise<void> {
  const prefix = basename(partPrefix(folder));
  for (const name of await readdir(dirname(folder))) {
    if (name.startsWith(prefix)) await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/** Returns the entry's folder in the cache; installs a missing or incomplete entry first. Safe across processes. */
export async function installIntoCache(entry: CacheEntry, context: SetupContext): Promise<string> {
  const folder = entryFolder(entry, context.env);
  if (await entry.isComplete(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  return withCacheLock(folder, context, async () => {
    if (await entry.isComplete(folder)) return folder;
    await removeParts(folder);
    const part = await mkdtemp(partPrefix(folder));
    try {
      await entry.install(part);
      if (!(await entry.isComplete(part))) {
        throw new SetupError(`The installation of ${entry.name} reported no error but is not complete.`);
      }
      if (await entry.isComplete(folder)) return folder;
      // The folder can exist with an incomplete installation.
      await rm(folder, { recursive: true, force: true });
      await rename(part, folder);
    } finally {
      await rm(part, { recursive: true, force: true });
    }
    return folder;
  });
}
