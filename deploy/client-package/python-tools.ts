import { fileURLToPath } from "node:url";
import { pinnedVersion } from "../local/servers/python.ts";
import { type InstalledPython, installPythonPackages } from "../local/servers/python-packages.ts";
import type { SetupContext } from "../local/servers/setup-context.ts";

// Pins every package by version and hash for every platform. Generated from the lines `hatchling==<version>` and
// `mypy==<version>` by `uv pip compile --universal --generate-hashes --only-binary :all: --no-header --no-annotate
// --python-version 3.10`.
const requirements = fileURLToPath(new URL("python-tools.txt", import.meta.url));

/**
 * Finds hatchling and mypy, which build and check the Python client library, in the cache, or installs them there.
 *
 * @throws SetupError when they cannot be installed
 */
export function findPythonTools(context: SetupContext): Promise<InstalledPython> {
  const [hatchling, mypy] = ["hatchling", "mypy"].map((name) => pinnedVersion(requirements, name));
  const name = `hatchling-${hatchling}-mypy-${mypy}`;
  const title = `hatchling ${hatchling} and mypy ${mypy}`;
  return installPythonPackages({ name, title, requirements, module: "hatchling", usually: "10 seconds" }, context);
}
