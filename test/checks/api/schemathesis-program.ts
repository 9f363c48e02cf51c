import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isExecutable } from "../../../deploy/local/servers/executable.ts";
import { type CacheEntry, installIntoCache } from "../../../deploy/local/servers/install-into-cache.ts";
import { logProgress } from "../../../deploy/local/servers/log-progress.ts";
import { pipInstall, pythonEnvironment } from "../../../deploy/local/servers/python.ts";
import type { SetupContext } from "../../../deploy/local/servers/setup-context.ts";

/** How to run schemathesis. */
export interface SchemathesisProgram {
  readonly command: string;
  /** Stand before its own. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

// Every package with its version and hashes, for every platform, made by
// `uv pip compile --universal --generate-hashes --python-version 3.11` of the one line `schemathesis==<version>`.
const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));
const hooksFolder = path.dirname(requirements);

/** Compiled packages fit one interpreter only: this file in the folder names it. */
const interpreterFile = "interpreter.txt";
const readInterpreter = (folder: string) => readFile(path.join(folder, interpreterFile), "utf8");

async function entry(context: SetupContext): Promise<CacheEntry> {
  const version = /^schemathesis==(\S+)/m.exec(await readFile(requirements, "utf8"))?.[1];
  if (version === undefined) throw new Error(`${requirements} names no schemathesis`);
  const { log } = context;
  return {
    name: `schemathesis-${version}`,
    isComplete: async (folder) => {
      try {
        const isThere = (await stat(path.join(folder, "schemathesis"))).isDirectory();
        return isThere && isExecutable(await readInterpreter(folder));
      } catch {
        return false;
      }
    },
    install: async (folder) => {
      const install = () => pipInstall(folder, `--requirement=${requirements}`, context);
      const progress = { log, what: `pip install of schemathesis ${version}`, usually: "30 seconds" };
      await writeFile(path.join(folder, interpreterFile), await logProgress(progress, install));
    },
  };
}

/**
 * Schemathesis from the cache, installed there first when it is not: Python 3.11 or newer with pip is needed.
 *
 * @throws SetupError when it is not to be had
 */
export async function findSchemathesis(context: SetupContext): Promise<SchemathesisProgram> {
  const folder = await installIntoCache(await entry(context), context);
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
