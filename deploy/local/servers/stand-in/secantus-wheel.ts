import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isExecutable } from "../executable.ts";
import { type CacheEntry, entryFolder, installIntoCache } from "../install-into-cache.ts";
import { logProgress } from "../log-progress.ts";
import type { Program } from "../program.ts";
import { pinnedVersion, pipInstall, pythonEnvironment, requirementsFile } from "../python.ts";
import type { SetupContext } from "../setup-context.ts";
import { secantusArguments } from "./secantus-launch.ts";

const requirements = requirementsFile("secantusdb");
const version = pinnedVersion(requirements, "secantusdb");

/** File that records the interpreter of an installation: compiled packages work only with that interpreter. */
const interpreterFile = "interpreter.txt";
const readInterpreter = (folder: string) => readFile(join(folder, interpreterFile), "utf8");

async function program(folder: string): Promise<Program<"secantusd-py">> {
  const command = await readInterpreter(folder);
  const launch: Program["launch"] = async (place) => ({
    command,
    args: ["-m", "secantus", ...(await secantusArguments(place))],
    env: pythonEnvironment(folder),
  });
  return { kind: "secantusd-py", path: folder, version, launch };
}

async function isComplete(folder: string): Promise<boolean> {
  try {
    const packages = await stat(join(folder, "secantus"));
    return packages.isDirectory() && (await isExecutable(await readInterpreter(folder)));
  } catch {
    return false;
  }
}

function entry(context: SetupContext): CacheEntry {
  const progress = { log: context.log, what: `Installing SecantusDB ${version} with pip`, usually: "15 seconds" };
  const install = async (folder: string) => {
    const pip = () => pipInstall(folder, requirements, context);
    await writeFile(join(folder, interpreterFile), await logProgress(progress, pip));
  };
  return { name: `secantusdb-${version}`, isComplete, install };
}

/** Returns the Python server when it is in the cache and its interpreter still exists, else undefined. */
export async function findSecantusWheel(context: SetupContext): Promise<Program<"secantusd-py"> | undefined> {
  const folder = entryFolder(entry(context), context.env);
  return (await isComplete(folder)) ? program(folder) : undefined;
}

/** Installs the Python server into the cache. @throws SetupError when the installation fails */
export async function installSecantusWheel(context: SetupContext): Promise<Program<"secantusd-py">> {
  return program(await installIntoCache(entry(context), context));
}
