import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";
import { changedMs, completedMs, volumeTimeMs } from "../mongo/backup/backup-files.ts";

/** The longest time for which a backup may wait for the database, and so write nothing, in seconds. */
export const replyTimeoutMaxSeconds = 3_600;

// If a backup is only paused for longer than this, it fails when it writes the next file, because its folder is gone.
const abandonedMs = (replyTimeoutMaxSeconds + 60) * 1_000;
const namePattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

/** Returns the name of a backup's folder: the time with `-` for `:` and `.`, such as `2026-11-22T08-30-00-000Z`. */
export function backupName(time: Date): string {
  return time.toISOString().replaceAll(/[:.]/g, "-");
}

/** Returns the names of the backups in a folder, complete or not, in order; none if the folder does not exist. */
export async function backupNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => namePattern.test(name)).sort();
  } catch (error) {
    // The first backup creates the folder.
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** A backup without a summary, and when it was last changed. */
interface Incomplete {
  readonly name: string;
  readonly changedMs: number;
}

interface PruneOptions {
  /** The number of complete backups to keep, 1 or more. Default: all. */
  readonly keep?: number | undefined;
  /** The backup that was just saved. Default: none. */
  readonly saved?: string | undefined;
  /** Default: {@link volumeTimeMs}. */
  readonly volumeTime?: ((folder: string) => Promise<number>) | undefined;
}

/**
 * Deletes a folder's complete backups except the `keep` newest ones, and its incomplete backups that no program writes
 * any more: a program that was killed, perhaps because it took too long, leaves such a backup each time, which would
 * fill the volume. Other folders and files remain.
 *
 * The one just saved, and the one that was completed last by the volume's clock, always remain. Some of a later name
 * are from a clock that was ahead: as many as are kept would otherwise delete every new one, for as long as the clock
 * was ahead. Another is from a program that saves at the same time: each of the two would delete the other's.
 *
 * Whether a backup is still written is decided by the volume's clock alone. On a volume that is too full to ask for its
 * time, the latest change of any incomplete backup counts as the time.
 *
 * @returns the names of the deleted backups
 */
export async function pruneBackups(
  folder: string,
  { keep = Number.POSITIVE_INFINITY, saved, volumeTime = volumeTimeMs }: PruneOptions,
): Promise<readonly string[]> {
  const complete: string[] = [];
  let [last, lastMs] = [saved, Number.NEGATIVE_INFINITY];
  const incomplete: Incomplete[] = [];
  for (const name of await backupNames(folder)) {
    const backup = path.join(folder, name);
    const ms = await completedMs(backup);
    // One that has been completed meanwhile has just been changed.
    if (ms === undefined) incomplete.push({ name, changedMs: await changedMs(backup) });
    else complete.push(name);
    if (ms !== undefined && ms >= lastMs) [last, lastMs] = [name, ms];
  }
  const abandoned = await abandonedOf(incomplete, () => volumeTime(folder));
  const others = complete.filter((name) => name !== saved && name !== last);
  const surplus = others.slice(0, Math.max(0, complete.length - keep));
  const deleted = [...abandoned, ...surplus].sort();
  for (const name of deleted) await rm(path.join(folder, name), { recursive: true, force: true });
  return deleted;
}

/** Returns the names of the backups that no program writes any more. @param askTime returns the volume's time */
async function abandonedOf(incomplete: readonly Incomplete[], askTime: () => Promise<number>): Promise<string[]> {
  if (incomplete.length === 0) return [];
  const nowMs = await askTime().catch((error: unknown) => {
    if (!["ENOSPC", "EDQUOT"].includes(systemErrorCode(error) ?? "")) throw error;
    return Math.max(...incomplete.map((backup) => backup.changedMs).filter(Number.isFinite));
  });
  return incomplete.filter((backup) => backup.changedMs < nowMs - abandonedMs).map(({ name }) => name);
}
