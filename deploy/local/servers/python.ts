import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findOnPath } from "./executable.ts";
import { CommandError, outputOf, runCommand } from "./run-command.ts";
import type { SetupContext } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";

const interpreterNames = ["python3", "python", "python3.13", "python3.12", "python3.11", "python3.10"];
const probe = "import sys, pip; assert sys.version_info >= (3, 10); print(sys.executable)";

/** Returns the absolute paths of the interpreters on the PATH that are Python 3.10 or newer and have pip. */
async function pythons({ env, signal }: SetupContext): Promise<string[]> {
  const found = new Set<string>();
  for (const name of interpreterNames) {
    const path = await findOnPath(name, env);
    if (path === undefined) continue;
    const output = await outputOf({ command: path, args: ["-c", probe], limitMs: 10_000, signal });
    // Warnings from the interpreter may precede its path.
    const interpreter = output.trimEnd().split("\n").at(-1) ?? "";
    if (interpreter !== "") found.add(interpreter);
  }
  return [...found];
}

/**
 * Returns the path of a server's requirements file. The file pins the server and its dependencies by version and by the
 * hashes of their wheels for every platform. It is generated from the line `<name>==<version>` by `uv pip compile
 * --universal --generate-hashes --only-binary :all: --no-header --no-annotate --python-version 3.10`.
 */
export function requirementsFile(name: string): string {
  return fileURLToPath(new URL(`requirements/${name}.txt`, import.meta.url));
}

/**
 * Returns the version to which a requirements file pins a package.
 *
 * @throws Error when the file does not pin the package
 */
export function pinnedVersion(file: string, name: string): string {
  const version = new RegExp(`^${name}==(\\S+)`, "m").exec(readFileSync(file, "utf8"))?.[1];
  if (version === undefined) throw new Error(`${file} does not pin a version of ${name}`);
  return version;
}

function pipArguments(folder: string, requirements: string): string[] {
  return [
    ...["-m", "pip", "install", "--target", folder, "--only-binary=:all:", "--no-input"],
    // The interpreter compiles the modules that it imports, a fraction of all: half of the installation's time.
    "--no-compile",
    ...["--no-warn-conflicts", "--root-user-action=ignore", "--disable-pip-version-check"],
    ...["--progress-bar=off", "--retries", "2", "--timeout", "20"],
    ...["--require-hashes", "--requirement", requirements],
  ];
}

/**
 * Installs the packages of a requirements file into an empty folder with the first interpreter for which matching
 * wheels exist. Refuses every package whose hash the file does not contain. The folder is not a virtual environment,
 * because a virtual environment cannot be moved.
 *
 * @returns the path of the interpreter
 * @throws SetupError when the installation fails
 */
export async function pipInstall(folder: string, requirements: string, context: SetupContext): Promise<string> {
  let failure = new SetupError("No Python 3.10 or newer with pip is on the PATH.");
  for (const python of await pythons(context)) {
    // With the user's own values, pip could refuse to install or could install into another folder.
    const env = { PIP_USER: "0", PIP_REQUIRE_VIRTUALENV: "0", PIP_PREFIX: undefined, PIP_ROOT: undefined };
    const args = pipArguments(folder, requirements);
    const limitMs = 5 * 60_000;
    try {
      await runCommand({ command: python, args, env, limitMs, signal: context.signal });
      return python;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const offline = error.message.includes("connection broken");
      const reason = offline ? "the package index cannot be reached" : (hashProblem(error.message) ?? error.lastLine);
      failure = new SetupError(`${python} could not install ${requirements} with pip: ${reason || error.message}.`);
      // Another interpreter can succeed only if this one failed for lack of a matching wheel.
      if (offline || !error.lastLine.includes("No matching distribution")) break;
    }
  }
  throw failure;
}

function hashProblem(output: string): string | undefined {
  if (output.includes("DO NOT MATCH THE HASHES")) return "a package does not match its hash";
  return output.includes("Hashes are required") ? "a package has no hash" : undefined;
}

/**
 * Returns environment variables that make an interpreter prefer the packages that {@link pipInstall} has installed into
 * `folder`, and ignore the packages in the user's own folder.
 */
export function pythonEnvironment(folder: string): NodeJS.ProcessEnv {
  return { PYTHONPATH: folder, PYTHONNOUSERSITE: "1", PYTHONUNBUFFERED: "1", PYTHONHOME: undefined };
}
