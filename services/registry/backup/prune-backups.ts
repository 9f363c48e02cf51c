import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";
import { isComplete } from "../mongo/backup/backup-files.ts";

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

/**
 * Deletes a folder's complete backups except the newest one and the `keep - 1` before it, and its incomplete backups
 * that are older than the newest. Other folders and files remain.
 *
 * A backup whose name is later than that of the one just saved is from a clock that was ahead. It must not take the
 * place of the one just saved: as many such backups as are kept would delete every new one, for as long as the clock
 * was ahead.
 *
 * @param keep the number of complete backups to keep, 1 or more
 * @param saved the backup that was just saved, which is the newest. Default: the last complete one by name
 * @returns the names of the deleted backups
 */
export async function pruneBackups(folder: string, keep: number, saved?: string): Promise<readonly string[]> {
  const names = await backupNames(folder);
  const complete: string[] = [];
  for (const name of names) if (await isComplete(path.join(folder, name))) complete.push(name);
  const newest = saved ?? complete.at(-1);
  if (newest === undefined) return [];
  const others = complete.filter((name) => name !== newest);
  const kept = new Set([newest, ...others.slice(Math.max(0, others.length - (keep - 1)))]);
  const deleted = names.filter((name) => !kept.has(name) && (complete.includes(name) || name < newest));
  for (const name of deleted) await rm(path.join(folder, name), { recursive: true });
  return deleted;
}
