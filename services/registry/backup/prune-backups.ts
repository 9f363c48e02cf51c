import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { isComplete } from "../mongo/backup/backup-files.ts";

const namePattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

/** Returns the name of a backup's folder: the time with `-` for `:` and `.`, such as `2026-11-22T08-30-00-000Z`. */
export function backupName(time: Date): string {
  return time.toISOString().replaceAll(/[:.]/g, "-");
}

/** Returns whether a text has the form of {@link backupName}. */
export function isBackupName(text: string): boolean {
  return namePattern.test(text);
}

/**
 * Deletes a folder's complete backups except the one that was just saved and the `keep - 1` newest others by name, and
 * its incomplete backups that are older than the one just saved. Other folders and files remain.
 *
 * A backup whose name is later than that of the one just saved is from a clock that was ahead. It must not take the
 * place of the one just saved: as many such backups as are kept would delete every new one, for as long as the clock
 * was ahead.
 *
 * @param keep the number of complete backups to keep, 1 or more
 * @param saved the name of the backup that was just saved
 * @returns the names of the deleted backups
 */
export async function pruneBackups(folder: string, keep: number, saved: string): Promise<readonly string[]> {
  const others = (await readdir(folder)).filter((name) => isBackupName(name) && name !== saved).sort();
  const complete: string[] = [];
  for (const name of others) if (await isComplete(path.join(folder, name))) complete.push(name);
  const surplus = new Set(complete.slice(0, Math.max(0, complete.length - (keep - 1))));
  const deleted = others.filter((name) => surplus.has(name) || (name < saved && !complete.includes(name)));
  for (const name of deleted) await rm(path.join(folder, name), { recursive: true });
  return deleted;
}
