import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isExecutable } from "./executable.ts";
import { type CacheEntry, entryFolder, installIntoCache } from "./install-into-cache.ts";
import { logProgress } from "./log-progress.ts";
import { pipInstall, pythonEnvironment } from "./python.ts";
import type { SetupContext } from "./setup-context.ts";

/** Python packages that are installed together into the cache. */
export interface PythonPackages {
  /** Name of their folder in the cache; contains the versions. */
  readonly name: string;
  /** The packages, for the message about their installation. */
  readonly title: string;
  /** Path of a requirements file that pins every package by version and hash. */
  readonly requirements: string;
  /** A folder that the installation contains. */
  readonly module: string;
  /** How long the installation usually takes. */
  readonly usually: string;
}

/** A Python interpreter, and the environment in which it can import the installed packages. */
export interface InstalledPython {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  /** The folder of the packages. */
  readonly folder: string;
}

// Contains the path of the interpreter that installed the packages; another interpreter may be unable to load them.
const interpreterFile = "interpreter.txt";

async function installedIn(folder: string): Promise<InstalledPython> {
  const command = await readFile(join(folder, interpreterFile), "utf8");
  return { command, env: pythonEnvironment(folder), folder };
}

function entryOf({ name, title, requirements, module, usually }: PythonPackages, context: SetupContext): CacheEntry {
  return {
    name,
    isComplete: async (folder) => {
      try {
        const packages = await stat(join(folder, module));
        return packages.isDirectory() && (await isExecutable((await installedIn(folder)).command));
      } catch {
        return false;
      }
    },
    install: async (folder) => {
      const progress = { log: context.log, what: `Installing ${title} with pip`, usually };
      const interpreter = await logProgress(progress, () => pipInstall(folder, requirements, context));
      await writeFile(join(folder, interpreterFile), interpreter);
    },
  };
}

/** Returns the packages when they are in the cache and their interpreter still exists, else undefined. */
export async function findPythonPackages(
  packages: PythonPackages,
  context: SetupContext,
): Promise<InstalledPython | undefined> {
  const entry = entryOf(packages, context);
  const folder = entryFolder(entry, context.env);
  return (await entry.isComplete(folder)) ? installedIn(folder) : undefined;
}

/** Finds the packages in the cache, or installs them there. @throws SetupError when they cannot be installed */
export async function installPythonPackages(packages: PythonPackages, context: SetupContext): Promise<InstalledPython> {
  return installedIn(await installIntoCache(entryOf(packages, context), context));
}
