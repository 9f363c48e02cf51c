import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

const root = fileURLToPath(new URL("../..", import.meta.url));
const packageFields = z.object({ name: z.string(), version: z.string(), license: z.string() });
const run = promisify(execFile);
const commandLimitMs = 120_000;

/** Path of the package that the edge serves at /docs/client.tgz. Git ignores the file. */
export const clientPackageFile = path.join(root, "services/edge/docs/client.tgz");

/**
 * Compiles the client library to JavaScript with declarations, because Node does not run TypeScript in node_modules,
 * and packs it for npm. Needs only the packages `typescript` and `zod`, so that the image build can call it.
 *
 * @param file path of the package to write; replaced atomically
 * @throws Error with the `stdout` and `stderr` of the command that failed
 */
export async function packClient(file: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "client-package-"));
  const options = { cwd: folder, timeout: commandLimitMs };
  try {
    const compiler = path.join(root, "node_modules/typescript/bin/tsc");
    const project = path.join(root, "deploy/client-package/tsconfig.json");
    await run(process.execPath, [compiler, "--project", project, "--outDir", path.join(folder, "client")], options);
    const fields = packageFields.parse(JSON.parse(await readFile(path.join(root, "package.json"), "utf8")));
    await writeFile(path.join(folder, "package.json"), JSON.stringify(manifestOf(fields), null, 2));
    await copyFile(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
    await copyFile(path.join(root, "services/client/README.md"), path.join(folder, "README.md"));
    await run("npm", ["pack", "--ignore-scripts", "--silent"], options);
    // Copied first, because a file can be renamed only within one file system.
    const temporary = `${file}.${process.pid}`;
    await copyFile(path.join(folder, `${fields.name}-${fields.version}.tgz`), temporary);
    await rename(temporary, file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function manifestOf(fields: z.infer<typeof packageFields>) {
  return {
    ...fields,
    description: "Client library for the certificate registry.",
    type: "module",
    exports: { "./client": { types: "./client/index.d.ts", default: "./client/index.js" } },
    files: ["client"],
    sideEffects: false,
    engines: { node: ">=20" },
  };
}
