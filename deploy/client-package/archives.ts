import { createHash } from "node:crypto";
import { copyFile, readdir, readFile, rename } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Folder of the archives that the edge serves. Git ignores those of versions that have not been released. */
export const archives = path.join(root, "services/edge/docs/client");

/** How to pack a client library. */
export interface PackOptions {
  /** Folder of released archives, into which the new one is written. Default: the folder that the edge serves. */
  readonly folder?: string;
  /** Default: the version in package.json. */
  readonly version?: string;
  /** Whether to write the archive of a release. Default: false. */
  readonly isRelease?: boolean;
}

/** Returns the version and the license in package.json. */
export async function productFields(): Promise<{ readonly version: string; readonly license: string }> {
  const fields = z.object({ version: z.string(), license: z.string() });
  return fields.parse(JSON.parse(await readFile(path.join(root, "package.json"), "utf8")));
}

/**
 * Returns the start of a hash of all files in a folder.
 *
 * @param contentOf returns the part of a file that counts; undefined for a file that does not count
 */
export async function hashOf(
  folder: string,
  contentOf: (name: string, file: string) => Promise<string | Buffer | undefined>,
): Promise<string> {
  const hash = createHash("sha256");
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  for (const file of paths.toSorted()) {
    const name = path.relative(folder, file);
    const content = await contentOf(name, file);
    if (content !== undefined) hash.update(`${name}\0`).update(content);
  }
  return hash.digest("hex").slice(0, 12);
}

/** Moves an archive, so that no reader sees a part of it. */
export async function moveArchive(from: string, to: string): Promise<void> {
  // Copied first, because a file can be renamed only within one file system.
  await copyFile(from, `${to}.${process.pid}`);
  await rename(`${to}.${process.pid}`, to);
}
