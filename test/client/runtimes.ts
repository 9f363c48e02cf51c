import { readFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import type { TestContext } from "vitest";
import { findOnPath } from "../../deploy/local/servers/executable.ts";
import { installIntoCache } from "../../deploy/local/servers/install-into-cache.ts";
import { runCommand } from "../../deploy/local/servers/run-command.ts";
import { SetupError } from "../../deploy/local/servers/setup-error.ts";

/** The command that runs a module in a JavaScript runtime. */
export interface Runtime {
  readonly command: string;
  /** Arguments before the module's path. */
  readonly args: readonly string[];
}

// The npm packages that contain the programs; each program has one package per platform.
const packages = {
  deno: { version: "2.9.6", platform: `@deno/${process.platform}-${process.arch}-glibc`, file: "deno" },
  bun: { version: "1.4.5", platform: `@oven/bun-${process.platform}-${process.arch}`, file: "bin/bun" },
} as const;

const installLimitMs = 300_000;

/**
 * Finds Deno or Bun on the PATH, or installs it into the cache.
 *
 * @throws Error when it cannot be installed
 */
export async function findRuntime(name: keyof typeof packages, signal: AbortSignal): Promise<Runtime> {
  const args = name === "deno" ? ["run", "--allow-all"] : ["run"];
  const onPath = await findOnPath(name, process.env);
  if (onPath !== undefined) return { command: onPath, args };
  const { version, platform, file } = packages[name];
  const program = path.join("node_modules", platform, file);
  const isComplete = async (folder: string) => {
    const { failed } = await execa(path.join(folder, program), ["--version"], { reject: false });
    return !failed;
  };
  const install = async (folder: string) => {
    // The packages contain the programs, so they do not need install scripts.
    const npm = [
      "install",
      "--prefix",
      folder,
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      `${platform}@${version}`,
    ];
    await runCommand({ command: "npm", args: npm, limitMs: installLimitMs, signal });
  };
  const entry = { name: `${name}-${version}`, isComplete, install };
  const context = { env: process.env, log: () => undefined, signal };
  return { command: path.join(await installIntoCache(entry, context), program), args };
}

/**
 * Finds Node 20 or later on the PATH, in a version other than the one that runs the tests.
 *
 * @returns undefined if there is none
 */
export async function findOtherNode(): Promise<Runtime | undefined> {
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    if (folder.includes("node_modules")) continue;
    const command = path.join(folder, "node");
    const { stdout = "" } = await execa(command, ["--version"], { reject: false });
    const major = Number(/^v(\d+)\./.exec(stdout)?.[1]);
    if (major >= 20 && stdout !== process.version) return { command, args: [] };
  }
  return undefined;
}

/**
 * Finds `python3` on the PATH, in a version that the Python client library supports; if there is none, skips the test
 * and prints why.
 *
 * @returns its path
 */
export async function requirePython(context: TestContext): Promise<string> {
  const python = await findOnPath("python3", process.env);
  if (python === undefined) return skip(context, "python3 is not on the PATH");
  const check = "import sys; sys.exit(sys.version_info < (3, 9))";
  const { failed } = await execa(python, ["-c", check], { reject: false });
  return failed ? skip(context, `${python} is not Python 3.9 or newer`) : python;
}

/** Returns why something could not be installed. @throws any other error */
export function setupFailure(error: unknown): string {
  if (error instanceof SetupError) return error.message;
  throw error;
}

/** Skips a test, and prints why. */
export function skip(context: TestContext, reason: string): never {
  process.stdout.write(`skipped: ${reason}\n`);
  return context.skip(reason);
}

/** Returns the text of a file next to this module. */
export const readFixture = (name: string) => readFile(path.join(import.meta.dirname, name), "utf8");
