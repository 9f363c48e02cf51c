import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findOnPath } from "./executable.ts";
import type { Program } from "./program.ts";
import { replicaSetName } from "./replica-set.ts";
import { outputOf } from "./run-command.ts";
import type { SetupContext } from "./setup-context.ts";

const oldestMajor = 7;

/** Returns the program that runs a mongod executable as the only member of a replica set. */
export function mongodProgram<Kind extends string>(kind: Kind, path: string): Program<Kind> {
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
 * Returns the `mongod` on the PATH. Returns undefined if none is on the PATH or, after logging the reason, if the
 * `mongod` does not report its version or is older than version 7.
 */
export async function findMongod(context: SetupContext): Promise<Program<"mongod"> | undefined> {
  const path = await findOnPath("mongod", context.env);
  if (path === undefined) return undefined;
  const { signal } = context;
  const output = await outputOf({ command: path, args: ["--version"], limitMs: 10_000, signal });
  const major = majorVersion(output);
  if (major !== undefined && major >= oldestMajor) return mongodProgram("mongod", path);
  const reason = major === undefined ? "does not report its version" : `is version ${major}`;
  context.log(`${path} is skipped: it ${reason}, and MongoDB ${oldestMajor} or newer is required.`);
  return undefined;
}
