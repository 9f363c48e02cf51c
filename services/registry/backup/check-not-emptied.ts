import path from "node:path";
import { readSummary } from "../mongo/backup/backup-files.ts";
import { backupNames } from "./prune-backups.ts";

/**
 * Checks, before a backup of a database without stores, that the database has not lost them: hourly backups of a lost
 * database, or of a wrong one, would soon replace all backups of the right one.
 *
 * @param folder the folder of all backups
 * @throws Error naming the newest backup with stores, if there is one
 */
export async function checkNotEmptied(folder: string): Promise<void> {
  for (const name of (await backupNames(folder)).toReversed()) {
    const stores = (await readSummary(path.join(folder, name)).catch(() => undefined))?.counts.stores ?? 0;
    if (stores > 0)
      throw new Error(
        `The database contains no store, but the backup ${name} contains ${stores}. Nothing was saved or deleted. Check REGISTRY_MONGODB_URI, or restore the backup. If the stores were removed on purpose, use another folder.`,
      );
  }
}
