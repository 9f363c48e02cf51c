import type { Program } from "../program.ts";
import { pinnedVersion, requirementsFile } from "../python.ts";
import {
  findPythonPackages,
  type InstalledPython,
  installPythonPackages,
  type PythonPackages,
} from "../python-packages.ts";
import type { SetupContext } from "../setup-context.ts";
import { secantusArguments } from "./secantus-launch.ts";

const requirements = requirementsFile("secantusdb");
const version = pinnedVersion(requirements, "secantusdb");
const packages: PythonPackages = {
  name: `secantusdb-${version}`,
  title: `SecantusDB ${version}`,
  requirements,
  module: "secantus",
  usually: "15 seconds",
};

function program({ command, env, folder }: InstalledPython): Program<"secantusd-py"> {
  const launch: Program["launch"] = async (place) => ({
    command,
    args: ["-m", "secantus", ...(await secantusArguments(place))],
    env,
  });
  return { kind: "secantusd-py", path: folder, version, launch };
}

/** Returns the Python server when it is in the cache and its interpreter still exists, else undefined. */
export async function findSecantusWheel(context: SetupContext): Promise<Program<"secantusd-py"> | undefined> {
  const installed = await findPythonPackages(packages, context);
  return installed && program(installed);
}

/** Installs the Python server into the cache. @throws SetupError when the installation fails */
export async function installSecantusWheel(context: SetupContext): Promise<Program<"secantusd-py">> {
  return program(await installPythonPackages(packages, context));
}
