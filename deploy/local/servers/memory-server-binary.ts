import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./install-into-cache.ts";
import { logProgress } from "./log-progress.ts";
import { mongodIfUsable, usableMongod } from "./mongod.ts";
import type { Program } from "./program.ts";
import { CommandError, runCommand } from "./run-command.ts";
import { type SetupContext, setting } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";

const limitMs = 5 * 60_000;
const marker = "mongod binary: ";

/** Returns the folder of the mongod that mongodb-memory-server downloads. */
export const downloadFolder = (env: NodeJS.ProcessEnv) => join(cacheFolder(env), "mongodb-binaries");

/** Returns the path of the mongod that mongodb-memory-server has already downloaded; undefined if there is none. */
async function locate({ env }: SetupContext): Promise<string | undefined> {
  try {
    const { DryMongoBinary } = await import("mongodb-memory-server");
    const options = { ...DryMongoBinary.getEnsuredOptions(), downloadDir: downloadFolder(env) };
    return await DryMongoBinary.locateBinary(options);
  } catch {
    // Thrown if MongoDB does not provide a build for this system.
    return undefined;
  }
}

/**
 * Returns the mongod that mongodb-memory-server has already downloaded; undefined if there is none or, after logging
 * the reason, if it cannot be used.
 */
export async function findMemoryServerBinary(context: SetupContext): Promise<Program<"memory-server"> | undefined> {
  return mongodIfUsable("memory-server", await locate(context), context);
}

/**
 * Downloads MongoDB with mongodb-memory-server unless this has been done before.
 *
 * @throws SetupError when the download fails, within seconds when the download host cannot be reached, or when the
 * downloaded mongod cannot be used
 */
export async function downloadMemoryServerBinary(context: SetupContext): Promise<Program<"memory-server">> {
  return usableMongod("memory-server", (await locate(context)) ?? (await download(context)), context);
}

/** Downloads MongoDB in a separate process, because mongodb-memory-server cannot cancel a download. */
async function download(context: SetupContext): Promise<string> {
  const script = fileURLToPath(new URL("./download-mongod.ts", import.meta.url));
  const args = [script, downloadFolder(context.env), marker];
  // Makes Node's fetch use the same proxy settings as the download.
  const env = { NODE_USE_ENV_PROXY: setting(context.env, "NODE_USE_ENV_PROXY") ?? "1" };
  const run = () => runCommand({ command: process.execPath, args, env, limitMs, signal: context.signal });
  const progress = {
    log: context.log,
    what: "Downloading MongoDB",
    usually: "30 seconds; gives up after 3 seconds if the download host is blocked",
  };
  const output = await logProgress(progress, run).catch((error) => {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`MongoDB could not be downloaded: ${error.lastLine || error.message}`);
  });
  const path = output.split("\n").find((line) => line.startsWith(marker));
  if (path === undefined) throw new SetupError("The MongoDB download did not print the path of the binary.");
  return path.slice(marker.length).trim();
}
