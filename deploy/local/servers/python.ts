import { findOnPath } from "./executable.ts";
import { CommandError, runCommand } from "./run-command.ts";
import type { SetupContext } from "./setup-context.ts";
import { SetupError } from "./setup-error.ts";

const names = ["python3", "python", "python3.13", "python3.12", "python3.11", "python3.10"];
const probe = "import sys, pip; assert sys.version_info >= (3, 10); print(sys.executable)";

/** The interpreters on the PATH that are Python 3.10 or newer and have pip, each once, as absolute paths. */
async function pythons(context: SetupContext): Promise<string[]> {
  const found = new Set<string>();
  for (const name of names) {
    const path = await findOnPath(name, context.env);
    if (path === undefined) continue;
    const output = await runCommand({ command: path, args: ["-c", probe], limitMs: 10_000 }).catch(() => "");
    const interpreter = output.trim();
    if (interpreter !== "") found.add(interpreter);
  }
  return [...found];
}

function pipArguments(folder: string, requirement: string): string[] {
  return [
    ...[
      "-m",
      "pip",
      "install",
      "--target",
      folder,
      "--only-binary=:all:",
      "--no-input",
      "--no-warn-conflicts",
    ],
    ...["--root-user-action=ignore", "--disable-pip-version-check", "--progress-bar=off"],
    ...["--retries", "2", "--timeout", "20", requirement],
  ];
}

/**
 * Installs a requirement and what it needs into an empty folder (not a virtual environment, so that the folder can be renamed)
 * with the first interpreter that has a fitting wheel; resolves to that interpreter.
 */
export async function pipInstall(
  folder: string,
  requirement: string,
  context: SetupContext,
): Promise<string> {
  let failure = new SetupError("No Python 3.10 or newer with pip is on the PATH.");
  for (const python of await pythons(context)) {
    // A user's own setting of these would contradict --target.
    const env = { PIP_USER: "0", PIP_REQUIRE_VIRTUALENV: "0", PIP_PREFIX: undefined, PIP_ROOT: undefined };
    const args = pipArguments(folder, requirement);
    const limitMs = 5 * 60_000;
    try {
      await runCommand({ command: python, args, env, limitMs, signal: context.signal });
      return python;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const offline = error.message.includes("connection broken");
      const reason = offline ? "the package index cannot be reached" : error.lastLine || error.message;
      failure = new SetupError(`pip install ${requirement} with ${python} failed: ${reason}.`);
      // Another interpreter helps only where this one has no fitting wheel.
      if (offline || !error.lastLine.includes("No matching distribution")) break;
    }
  }
  throw failure;
}

/** The environment in which an interpreter sees the packages of such a folder and no others of the user's. */
export function pythonEnvironment(folder: string): NodeJS.ProcessEnv {
  return { PYTHONPATH: folder, PYTHONNOUSERSITE: "1", PYTHONUNBUFFERED: "1", PYTHONHOME: undefined };
}
