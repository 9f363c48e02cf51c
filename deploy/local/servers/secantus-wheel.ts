import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isExecutable } from "./executable.ts";
import { type CacheEntry, entryFolder, installIntoCache } from "./install-into-cache.ts";
import { logProgress } from "./log-progress.ts";
import type { Program } from "./program.ts";
import { pipInstall, pythonEnvironment } from "./python.ts";
import { secantusArguments } from "./secantus-launch.ts";
import type { SetupContext } from "./setup-context.ts";

const version = "0.7.0b3";

/** Compiled packages fit one interpreter only: this file in the folder names it. */
const interpreterFile = "interpreter.txt";
const readInterpreter = (folder: string) => readFile(join(folder, interpreterFile), "utf8");

async function program(folder: string): Promise<Program<"secantusd-py">> {
  const command = await readInterpreter(folder);
  const launch: Program["launch"] = async (place) => ({
    command,
    args: ["-m", "secantus", ...(await secantusArguments(place))],
    env: pythonEnvironment(folder),
  });
  return { kind: "secantusd-py", path: folder, launch };
}

function entry(context: SetupContext): CacheEntry {
  return {
    name: `secantusdb-${version}`,
    isComplete: async (folder) => {
      try {
        return (
          (await stat(join(folder, "secantus"))).isDirectory() && isExecutable(await readInterpreter(folder))
        );
      } catch {
        return false;
      }
    },
    install: async (folder) => {
      const install = () => pipInstall(folder, `SecantusDB==${version}`, context);
      const progress = {
        log: context.log,
        what: `pip install of SecantusDB ${version}`,
        usually: "15 seconds",
      };
      await writeFile(join(folder, interpreterFile), await logProgress(progress, install));
    },
  };
}

/** The Python server when it is in the cache with its interpreter still there, else undefined. */
export async function findSecantusWheel(context: SetupContext): Promise<Program<"secantusd-py"> | undefined> {
  const wheel = entry(context);
  const folder = entryFolder(wheel, context.env);
  return (await wheel.isComplete(folder)) ? program(folder) : undefined;
}

/** Installs the Python server into the cache. SetupError when pip or a fitting wheel is not to be had. */
export async function installSecantusWheel(context: SetupContext): Promise<Program<"secantusd-py">> {
  return program(await installIntoCache(entry(context), context));
}
