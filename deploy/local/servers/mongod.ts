import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findOnPath } from "./executable.ts";
import type { Program } from "./program.ts";
import { replicaSetName } from "./replica-set.ts";
import { runCommand } from "./run-command.ts";
import type { SetupContext } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";

const oldestMajor = 7;

/** Returns the program that runs a mongod executable as the only member of a replica set. */
function mongodProgram<Kind extends string>(kind: Kind, path: string): Program<Kind> {
  return {
    kind,
    path,
    launch: async ({ port, dataDir }) => {
      const storage = join(dataDir, "storage");
      await mkdir(storage, { recursive: true });
      const socket = process.platform === "win32" ? [] : ["--nounixsocket"];
      const place = ["--dbpath", storage, "--bind_ip", "127.0.0.1", "--port", String(port), ...socket];
      return { command: path, args: [...place, "--replSet", replicaSetName, "--wiredTigerCacheSizeGB", "1"] };
    },
  };
}

/** Returns the major version in the output of `mongod --version`; undefined when the output contains no version. */
export function majorVersion(output: string): number | undefined {
  const major = /^db version v(\d+)\./m.exec(output)?.[1];
  return major === undefined ? undefined : Number(major);
}

/**
 * Returns the program of a mongod executable, which is asked for its version first: it may need a library or a
 * processor that this machine lacks.
 *
 * @throws SetupError with the reason when it cannot run, does not report its version or is older than version 7
 */
export async function usableMongod<Kind extends string>(
  kind: Kind,
  path: string,
  { signal }: SetupContext,
): Promise<Program<Kind>> {
  const major = majorVersion(await runCommand({ command: path, args: ["--version"], limitMs: 10_000, signal }));
  if (major !== undefined && major >= oldestMajor) return mongodProgram(kind, path);
  const problem = major === undefined ? "does not report its version" : `is version ${major}`;
  throw new SetupError(`${path} ${problem}, and MongoDB ${oldestMajor} or newer is required.`);
}

/** Returns the program of a mongod executable as {@link usableMongod} does; logs the reason if it cannot be used. */
export async function mongodIfUsable<Kind extends string>(
  kind: Kind,
  path: string | undefined,
  context: SetupContext,
): Promise<Program<Kind> | undefined> {
  if (path === undefined) return undefined;
  try {
    return await usableMongod(kind, path, context);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    context.log(`${kind} is skipped: ${error.message}`);
    return undefined;
  }
}

/** Returns the `mongod` on the PATH; undefined if none is there or, after logging the reason, if it cannot be used. */
export async function findMongod(context: SetupContext): Promise<Program<"mongod"> | undefined> {
  return mongodIfUsable("mongod", await findOnPath("mongod", context.env), context);
}
