import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isExecutable } from "../../../../deploy/local/servers/executable.ts";
import { type CacheEntry, installIntoCache } from "../../../../deploy/local/servers/install-into-cache.ts";
import { logProgress } from "../../../../deploy/local/servers/log-progress.ts";
import { pinnedVersion, pipInstall, pythonEnvironment } from "../../../../deploy/local/servers/python.ts";
import type { SetupContext } from "../../../../deploy/local/servers/setup-context.ts";

/** A Python interpreter, and the environment in which it can import checkov and kubernetes_validate. */
export interface PythonLinters {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
}

// Pins every package by version and hash for every platform. Generated from the lines `checkov==<version>` and
// `kubernetes-validate==<version>` by `uv pip compile --universal --generate-hashes --only-binary :all: --no-header
// --no-annotate --python-version 3.11`.
const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));

// Contains the path of the interpreter that installed the packages; another interpreter may be unable to load them.
const interpreterFile = "interpreter.txt";
const readInterpreter = (folder: string) => readFile(path.join(folder, interpreterFile), "utf8");

/**
 * Finds checkov and kubernetes-validate in the cache, or installs them there.
 *
 * @throws SetupError when they cannot be installed
 */
export async function findPythonLinters(context: SetupContext): Promise<PythonLinters> {
  const folder = await installIntoCache(entry(context), context);
  return { command: await readInterpreter(folder), env: pythonEnvironment(folder) };
}

function entry(context: SetupContext): CacheEntry {
  const [checkov, validate] = ["checkov", "kubernetes-validate"].map((name) => pinnedVersion(requirements, name));
  return {
    name: `checkov-${checkov}-kubernetes-validate-${validate}`,
    isComplete: async (folder) => {
      try {
        const isInstalled = (await stat(path.join(folder, "checkov"))).isDirectory();
        return isInstalled && isExecutable(await readInterpreter(folder));
      } catch {
        return false;
      }
    },
    install: async (folder) => {
      const step = { log: context.log, what: `Installing checkov ${checkov} with pip`, usually: "1 minute" };
      const python = await logProgress(step, () => pipInstall(folder, requirements, context));
      await writeFile(path.join(folder, interpreterFile), python);
    },
  };
}
