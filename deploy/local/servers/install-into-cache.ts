import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { cacheFolder } from "./cache-folder.ts";
import { withCacheLock } from "./cache-lock.ts";
import type { SetupContext } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";

/** One thing the cache can hold. */
export interface CacheEntry {
  /** Name of its folder in the cache, with the version. */
  readonly name: string;
  /** Whether a folder holds all of it. */
  isComplete(folder: string): Promise<boolean>;
  /** Fills a new empty folder, which is moved to its place when it is complete. */
  install(folder: string): Promise<void>;
}

/** Where an entry is, or would be. */
export function entryFolder(entry: { name: string }, env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), entry.name);
}

const temporary = (folder: string) => `${folder}.part-`;

/** Folders of installations that were cut off; only the holder of the lock may call this. */
async function removeLeftOvers(folder: string): Promise<void> {
  const prefix = basename(temporary(folder));
  for (const name of await readdir(dirname(folder))) {
    if (name.startsWith(prefix)) await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/** Resolves to the entry's folder in the cache, installing it when it is not complete. Safe against other processes doing the same. */
export async function installIntoCache(entry: CacheEntry, context: SetupContext): Promise<string> {
  const folder = entryFolder(entry, context.env);
  if (await entry.isComplete(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  return withCacheLock(`${folder}.lock`, context, async () => {
    if (await entry.isComplete(folder)) return folder;
    await removeLeftOvers(folder);
    const part = await mkdtemp(temporary(folder));
    try {
      await entry.install(part);
      if (!(await entry.isComplete(part))) {
        throw new SetupError(`The installation of ${entry.name} ended without an error but is not complete.`);
      }
      if (await entry.isComplete(folder)) return folder;
      // Whatever is in the place is incomplete: out of the way, then one rename.
      await rm(folder, { recursive: true, force: true });
      await rename(part, folder);
    } finally {
      await rm(part, { recursive: true, force: true });
    }
    return folder;
  });
}
