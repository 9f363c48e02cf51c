import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isExecutable } from "../../../deploy/local/servers/executable.ts";
import { type CacheEntry, installIntoCache } from "../../../deploy/local/servers/install-into-cache.ts";
import { logProgress } from "../../../deploy/local/servers/log-progress.ts";
import { pinnedVersion, pipInstall, pythonEnvironment } from "../../../deploy/local/servers/python.ts";
import type { SetupContext } from "../../../deploy/local/servers/setup-context.ts";

/** The command that runs schemathesis. */
export interface SchemathesisProgram {
  readonly command: string;
  /** Arguments that precede those of schemathesis. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

// Pins every package by version and hash for every platform. Generated from the line `schemathesis==<version>` by
// `uv pip compile --universal --generate-hashes --python-version 3.11`.
const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));
const hooksFolder = path.dirname(requirements);

// Contains the path of the interpreter that installed the packages; another interpreter may be unable to load them.
const interpreterFile = "interpreter.txt";
const readInterpreter = (folder: string) => readFile(path.join(folder, interpreterFile), "utf8");

function entry(context: SetupContext): CacheEntry {
  const version = pinnedVersion(requirements, "schemathesis");
  const { log } = context;
  return {
    name: `schemathesis-${version}`,
    isComplete: async (folder) => {
      try {
        const isInstalled = (await stat(path.join(folder, "schemathesis"))).isDirectory();
        return isInstalled && isExecutable(await readInterpreter(folder));
      } catch {
        return false;
      }
    },
    install: async (folder) => {
      const install = () => pipInstall(folder, requirements, context);
      const progress = { log, what: `Installing schemathesis ${version} with pip`, usually: "30 seconds" };
      await writeFile(path.join(folder, interpreterFile), await logProgress(progress, install));
    },
  };
}

/**
 * Finds schemathesis in the cache, or installs it there. Requires Python 3.11 or later with pip.
 *
 * @throws SetupError when it cannot be installed
 */
export async function findSchemathesis(context: SetupContext): Promise<SchemathesisProgram> {
  const folder = await installIntoCache(entry(context), context);
  const { PYTHONPATH, ...others } = pythonEnvironment(folder);
  return {
    command: await readInterpreter(folder),
    args: ["-m", "schemathesis.cli"],
    env: {
      ...others,
      PYTHONPATH: [PYTHONPATH, hooksFolder].join(path.delimiter),
      SCHEMATHESIS_HOOKS: "hooks",
    },
  };
}
