import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates an empty folder, which `remove` and disposal remove. @param name prefix of its name */
export function createTemporaryFolder(name: string) {
  return createFolderIn(tmpdir(), name);
}

/**
 * Creates an empty folder that is removed at the end.
 *
 * @param onEnd registers its removal, such as `onTestFinished`
 * @returns its absolute path
 */
export async function openTemporaryFolder(name: string, onEnd: (remove: () => Promise<void>) => void): Promise<string> {
  const { path, remove } = await createTemporaryFolder(name);
  onEnd(remove);
  return path;
}

const memory = "/dev/shm";
const freeBytesMin = 4 * 1024 ** 3;

/**
 * Creates an empty folder as {@link createTemporaryFolder} does, but in memory if the machine has a file system for it
 * with enough room. For a database server's data that need not survive the machine: it creates an index five times as
 * fast as on a disk.
 */
export async function createMemoryFolder(name: string) {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return createFolderIn(bavail * bsize >= freeBytesMin ? memory : tmpdir(), name);
}

async function createFolderIn(parent: string, name: string) {
  const path = await mkdtemp(join(parent, `${name}-`));
  const remove = () => rm(path, { recursive: true, force: true });
  return { path, remove, [Symbol.asyncDispose]: remove };
}
