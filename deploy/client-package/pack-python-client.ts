import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runCommand } from "../local/servers/run-command.ts";
import type { SetupContext } from "../local/servers/setup-context.ts";
import { archives, hashOf, moveArchive, type PackOptions, productFields, root } from "./archives.ts";
import { findPythonTools } from "./python-tools.ts";

/** The archives of one version of the Python client library. */
interface PythonArchives {
  /** Path of the wheel, which pip installs. */
  readonly wheel: string;
  /** Path of the source archive. */
  readonly source: string;
}

const library = path.join(root, "services/client-python");
const distribution = "certificate_registry_client";
const commandLimitMs = 120_000;

/**
 * Builds the wheel and the source archive of the Python client library with hatchling. On one machine, equal files give
 * equal archives.
 *
 * A released archive never changes, because lock files contain its hash. Before a release, the hash of the content is
 * part of the version.
 *
 * @throws Error if the library differs from its release of the same version; SetupError without a Python 3.10 or newer
 *   with pip, or if hatchling cannot be installed
 */
export async function packPythonClient(options: PackOptions, context: SetupContext): Promise<PythonArchives> {
  const { folder = archives, isRelease = false, version = (await productFields()).version } = options;
  const python = await findPythonTools(context);
  const work = await mkdtemp(path.join(tmpdir(), "python-client-"));
  try {
    const staged = path.join(work, "package");
    await stage(staged, version);
    const hash = await hashOf(staged, contentOf);
    await mkdir(folder, { recursive: true });
    const known = await readdir(folder);
    const released = archivesOf(folder, version);
    if (known.includes(path.basename(released.source))) {
      const extracted = path.join(work, "released");
      await mkdir(extracted);
      const args = ["-xzf", released.source, "-C", extracted, "--strip-components=1"];
      await runCommand({ command: "tar", args, limitMs: commandLimitMs, signal: context.signal });
      if ((await hashOf(extracted, contentOf)) === hash) return released;
      throw new Error(`The Python client library differs from its release ${version}. Raise the version.`);
    }
    // A version of PEP 440 has no letters there.
    const packed = isRelease ? version : `${version}.dev${Number.parseInt(hash, 16)}`;
    await stage(staged, packed);
    await runCommand({
      command: python.command,
      args: ["-m", "hatchling", "build", "--directory", work],
      env: python.env,
      cwd: staged,
      limitMs: commandLimitMs,
      signal: context.signal,
    });
    const [built, stored] = [archivesOf(work, packed), archivesOf(folder, packed)];
    await moveArchive(built.wheel, stored.wheel);
    await moveArchive(built.source, stored.source);
    const outdated = known.filter((name) => name.includes(".dev") && !name.startsWith(`${distribution}-${packed}`));
    for (const name of outdated) await rm(path.join(folder, name), { force: true });
    return stored;
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Writes the files from which hatchling builds the package. */
async function stage(folder: string, version: string): Promise<void> {
  const isSource = (file: string) => !file.endsWith("__pycache__");
  await cp(path.join(library, "certificate_registry"), path.join(folder, "certificate_registry"), {
    recursive: true,
    filter: isSource,
  });
  await copyFile(path.join(library, "README.md"), path.join(folder, "README.md"));
  await copyFile(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  const project = await readFile(path.join(library, "pyproject.toml"), "utf8");
  await writeFile(path.join(folder, "pyproject.toml"), project.replace(versionLine, `version = "${version}"`));
}

const versionLine = /^version = ".*"$/m;

/** Returns what counts of a file in a source archive: everything but the version. */
async function contentOf(name: string, file: string): Promise<string | Buffer | undefined> {
  if (name === "PKG-INFO") return undefined;
  return name === "pyproject.toml" ? (await readFile(file, "utf8")).replace(versionLine, "") : readFile(file);
}

function archivesOf(folder: string, version: string): PythonArchives {
  const start = path.join(folder, `${distribution}-${version}`);
  return { wheel: `${start}-py3-none-any.whl`, source: `${start}.tar.gz` };
}
