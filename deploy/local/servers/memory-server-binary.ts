import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./install-into-cache.ts";
import { logProgress } from "./log-progress.ts";
import { mongodProgram } from "./mongod.ts";
import type { Program } from "./program.ts";
import { CommandError, runCommand } from "./run-command.ts";
import { type SetupContext, setting } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";

const limitMs = 5 * 60_000;
const marker = "mongod binary: ";

const downloadFolder = (env: NodeJS.ProcessEnv) => join(cacheFolder(env), "mongodb-binaries");

/** Returns a mongod that mongodb-memory-server has already downloaded; undefined if there is none. */
export async function findMemoryServerBinary(context: SetupContext): Promise<Program<"memory-server"> | undefined> {
  try {
    const { DryMongoBinary } = await import("mongodb-memory-server");
    const options = { ...DryMongoBinary.getEnsuredOptions(), downloadDir: downloadFolder(context.env) };
    const path = await DryMongoBinary.locateBinary(options);
    return path === undefined ? undefined : mongodProgram("memory-server", path);
  } catch {
    // Thrown if MongoDB does not provide a build for this system.
    return undefined;
  }
}

/**
 * Downloads MongoDB with mongodb-memory-server, in a separate process because that library cannot cancel a download.
 *
 * @throws SetupError when the download fails; within seconds when the download host cannot be reached
 */
export async function downloadMemoryServerBinary(context: SetupContext): Promise<Program<"memory-server">> {
  const script = fileURLToPath(new URL("./download-mongod.ts", import.meta.url));
  const args = [script, downloadFolder(context.env), marker];
  // Makes Node's fetch use the same proxy settings as the download.
  const env = { NODE_USE_ENV_PROXY: setting(context.env, "NODE_USE_ENV_PROXY") ?? "1" };
  const download = () => runCommand({ command: process.execPath, args, env, limitMs, signal: context.signal });
  const progress = {
    log: context.log,
    what: "Downloading MongoDB",
    usually: "30 seconds; gives up after 3 seconds if the download host is blocked",
  };
  const output = await logProgress(progress, download).catch((error) => {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`MongoDB could not be downloaded: ${error.lastLine || error.message}`);
  });
  const path = output.split("\n").find((line) => line.startsWith(marker));
  if (path === undefined) throw new SetupError("The MongoDB download did not print the path of the binary.");
  return mongodProgram("memory-server", path.slice(marker.length).trim());
}
