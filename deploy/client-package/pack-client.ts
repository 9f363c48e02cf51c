import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { archives, hashOf, moveArchive, type PackOptions, productFields, root } from "./archives.ts";

const run = promisify(execFile);
const commandLimitMs = 120_000;

/** How to pack the client library for npm. */
interface PackClientOptions extends PackOptions {
  /** URL of the public source repository, to which npm's provenance of a release must lead. Default: none. */
  readonly repository?: string | undefined;
}

/**
 * Compiles the client library to JavaScript with declarations, because Node does not run TypeScript in node_modules,
 * and packs it for npm. Needs only the packages `typescript` and `zod`, so that the image build can call it.
 *
 * A released archive never changes, because package managers lock its address and its hash. Before a release, the hash
 * of the content is part of the version, so that each address has one content then too.
 *
 * @returns path of the archive
 * @throws Error if the library differs from its release of the same version; Error with the `stdout` and `stderr` of a
 *   command that failed
 */
export async function packClient(options: PackClientOptions = {}): Promise<string> {
  const fields = await productFields();
  const { folder = archives, isRelease = false, repository, version = fields.version } = options;
  const work = await mkdtemp(path.join(tmpdir(), "client-package-"));
  try {
    const staged = path.join(work, "package");
    await compileTo(staged);
    const writeManifest = (manifest: object) =>
      writeFile(path.join(staged, "package.json"), JSON.stringify(manifest, null, 2));
    await writeManifest(manifestOf(version, fields.license));
    const hash = await hashOf(staged, contentOf);
    const released = path.join(folder, `client-${version}.tgz`);
    await mkdir(folder, { recursive: true });
    const known = await readdir(folder);
    if (known.includes(path.basename(released))) {
      const extracted = path.join(work, "released");
      await mkdir(extracted);
      await run("tar", ["-xzf", released, "-C", extracted]);
      if ((await hashOf(path.join(extracted, "package"), contentOf)) === hash) return released;
      throw new Error(`The client library differs from its release ${version}. Raise the version in package.json.`);
    }
    const packed = isRelease ? version : `${version}-dev.${hash}`;
    const manifest = manifestOf(packed, fields.license);
    await writeManifest({ ...manifest, ...(repository !== undefined && repositoryOf(repository)) });
    const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--silent"], {
      cwd: staged,
      timeout: commandLimitMs,
    });
    const archive = path.join(folder, `client-${packed}.tgz`);
    await moveArchive(path.join(staged, stdout.trim()), archive);
    const outdated = known.filter((name) => name.includes("-dev.") && name !== path.basename(archive));
    for (const name of outdated) await rm(path.join(folder, name), { force: true });
    return archive;
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Writes all files of the package but its own package.json. */
async function compileTo(folder: string): Promise<void> {
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  const project = path.join(root, "deploy/client-package/tsconfig.json");
  await run(process.execPath, [compiler, "--project", project, "--outDir", path.join(folder, "client")], {
    timeout: commandLimitMs,
  });
  // TypeScript takes the same declarations for those of a CommonJS module where the nearest package.json says so.
  const isDeclaration = (file: string) => !file.endsWith(".js");
  await cp(path.join(folder, "client"), path.join(folder, "commonjs"), { recursive: true, filter: isDeclaration });
  await writeFile(path.join(folder, "commonjs/package.json"), JSON.stringify({ type: "commonjs" }));
  await copyFile(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  await copyFile(path.join(root, "services/client/README.md"), path.join(folder, "README.md"));
}

const manifestSchema = z.looseObject({ version: z.string(), repository: z.unknown().optional() });

/** Returns what counts of a file in the package: in package.json, neither the version nor the repository. */
async function contentOf(name: string, file: string): Promise<string | Buffer> {
  return name === "package.json" ? manifestContent(file) : readFile(file);
}

async function manifestContent(file: string): Promise<string> {
  const {
    version: _,
    repository: _repository,
    ...manifest
  } = manifestSchema.parse(JSON.parse(await readFile(file, "utf8")));
  return JSON.stringify(manifest);
}

function manifestOf(version: string, license: string) {
  const entry = "./client/index.js";
  return {
    name: "certificate-registry-client",
    version,
    license,
    description: "Client library for the certificate registry.",
    type: "module",
    // Node loads the same module for `require`, so that a program never has two classes of the same error.
    exports: {
      import: { types: "./client/index.d.ts", default: entry },
      require: { types: "./commonjs/index.d.ts", default: entry },
    },
    bin: { "certificate-registry-client": "./client/bin.js" },
    files: ["client", "commonjs"],
    sideEffects: false,
    engines: { node: ">=20" },
  };
}

function repositoryOf(url: string) {
  return { repository: { type: "git", url } };
}
