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
 * Deletes a folder's complete backups except the `keep` newest, and its incomplete backups that are older than the
 * newest complete one. Other folders and files remain.
 *
 * @param keep the number of complete backups to keep, 1 or more
 * @returns the names of the deleted backups
 */
export async function pruneBackups(folder: string, keep: number): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter(isBackupName).sort();
  const complete: string[] = [];
  for (const name of names) if (await isComplete(path.join(folder, name))) complete.push(name);
  const kept = complete.slice(-keep);
  const newest = kept.at(-1) ?? "";
  const surplus = names.filter((name) => name < newest && !kept.includes(name));
  for (const name of surplus) await rm(path.join(folder, name), { recursive: true });
  return surplus;
}
