import path from "node:path";
import { fileURLToPath } from "node:url";
import { pinnedVersion } from "../../../deploy/local/servers/python.ts";
import { installPythonPackages } from "../../../deploy/local/servers/python-packages.ts";
import type { SetupContext } from "../../../deploy/local/servers/setup-context.ts";

/** The command that runs schemathesis. */
export type SchemathesisProgram = Awaited<ReturnType<typeof findSchemathesis>>;

// Pins every package by version and hash for every platform. Generated from the line `schemathesis==<version>` by
// `uv pip compile --universal --generate-hashes --python-version 3.11`.
const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));
const hooksFolder = path.dirname(requirements);

/**
 * Finds schemathesis in the cache, or installs it there. Requires Python 3.11 or later with pip.
 *
 * @throws SetupError when it cannot be installed
 */
export async function findSchemathesis(context: SetupContext) {
  const name = `schemathesis-${pinnedVersion(requirements, "schemathesis")}`;
  const title = name.replace("-", " ");
  const packages = { name, title, requirements, module: "schemathesis", usually: "30 seconds" };
  const { command, env } = await installPythonPackages(packages, context);
  const { PYTHONPATH, ...others } = env;
  return {
    command,
    args: ["-m", "schemathesis.cli"],
    env: {
      ...others,
      PYTHONPATH: [PYTHONPATH, hooksFolder].join(path.delimiter),
      SCHEMATHESIS_HOOKS: "hooks",
    },
  };
}
