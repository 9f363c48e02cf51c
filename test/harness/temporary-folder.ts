import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that exists only for a test run. */
export interface TemporaryFolder {
  /** Absolute path. */
  readonly path: string;
  /** Deletes the folder with its content. */
  remove(): Promise<void>;
}

/** Creates an empty folder. @param name prefix of its name */
export async function createTemporaryFolder(name: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `${name}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
