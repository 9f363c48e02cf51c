import { rm } from "node:fs/promises";
import { join } from "node:path";
import { findOnPath, isExecutable } from "../executable.ts";
import { type CacheEntry, entryFolder, installIntoCache } from "../install-into-cache.ts";
import { logProgress } from "../log-progress.ts";
import type { Program } from "../program.ts";
import { outputOf, runCommand } from "../run-command.ts";
import type { SetupContext } from "../setup-context.ts";
import { SetupError } from "../setup-error.ts";
import { secantusArguments } from "./secantus-launch.ts";

const crate = "secantus-mdb";
const version = "0.5.3-beta.196";

const binary = (folder: string) => join(folder, "bin", "secantusd-rs");

function program(path: string, version: string): Program<"secantusd-rs"> {
  const launch: Program["launch"] = async (place) => ({
    command: path,
    args: await secantusArguments(place),
  });
  return { kind: "secantusd-rs", path, version, launch };
}

function entry({ env, log, signal }: SetupContext): CacheEntry {
  const what = `Building ${crate} ${version} with Cargo`;
  return {
    name: `${crate}-${version}`,
    isComplete: (folder) => isExecutable(binary(folder)),
    install: async (folder) => {
      const cargo = await findOnPath("cargo", env);
      if (cargo === undefined) throw new SetupError("cargo is not on the PATH, so secantusd-rs cannot be built.");
      const target = join(folder, "target");
      const flags = ["--locked", "--ignore-rust-version", "--root", folder, "--target-dir", target];
      const args = ["install", crate, "--version", version, ...flags];
      await logProgress({ log, what, usually: "3 to 10 minutes" }, () =>
        runCommand({ command: cargo, args, limitMs: 45 * 60_000, signal }),
      );
      await rm(target, { recursive: true, force: true });
    },
  };
}

/** Returns the Rust server: the one in the cache, else one on the PATH, else undefined. */
export async function findSecantusRust(context: SetupContext): Promise<Program<"secantusd-rs"> | undefined> {
  const built = binary(entryFolder(entry(context), context.env));
  if (await isExecutable(built)) return program(built, version);
  const path = await findOnPath("secantusd-rs", context.env);
  return path === undefined ? undefined : program(path, await versionOf(path, context));
}

/** Returns the version that `secantusd-rs --version` prints; `unknown` when it fails or prints none. */
async function versionOf(path: string, { signal }: SetupContext): Promise<string> {
  const output = await outputOf({ command: path, args: ["--version"], limitMs: 10_000, signal });
  return /^\S+ (\S+)$/m.exec(output)?.[1] ?? "unknown";
}

/** Builds the Rust server into the cache, which takes minutes. @throws SetupError when the build fails */
export async function buildSecantusRust(context: SetupContext): Promise<Program<"secantusd-rs">> {
  return program(binary(await installIntoCache(entry(context), context)), version);
}
