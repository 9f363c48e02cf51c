import { fileURLToPath } from "node:url";
import { pinnedVersion } from "../../../../deploy/local/servers/python.ts";
import { type InstalledPython, installPythonPackages } from "../../../../deploy/local/servers/python-packages.ts";
import type { SetupContext } from "../../../../deploy/local/servers/setup-context.ts";

// Pins every package by version and hash for every platform. Generated from the lines `checkov==<version>` and
// `kubernetes-validate==<version>` by `uv pip compile --universal --generate-hashes --only-binary :all: --no-header
// --no-annotate --python-version 3.11`.
const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));

/**
 * Finds checkov and kubernetes-validate in the cache, or installs them there.
 *
 * @throws SetupError when they cannot be installed
 */
export async function findPythonLinters(context: SetupContext): Promise<InstalledPython> {
  const [checkov, validate] = ["checkov", "kubernetes-validate"].map((name) => pinnedVersion(requirements, name));
  const name = `checkov-${checkov}-kubernetes-validate-${validate}`;
  const title = `checkov ${checkov}`;
  return installPythonPackages({ name, title, requirements, module: "checkov", usually: "1 minute" }, context);
}
