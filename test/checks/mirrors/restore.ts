import { MongoClient } from "mongodb";
import { runBackup } from "../../harness/run-backup.ts";
import type { Stack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";

interface Saved extends Pick<Stack, "mongodbUri" | "registries"> {
  /** Does not exist until the backup is saved. */
  readonly backupFolder: string;
}

/** Saves a backup of the stack's database. @throws Error if the backup program fails */
export async function saveBackup({ mongodbUri, backupFolder }: Saved, log: Log): Promise<void> {
  await runOrThrow(log, mongodbUri, "save", "--folder", backupFolder);
}

/** Replaces the database with the backup. Kills the registries first, and restarts them afterwards. */
export async function restoreBackup({ mongodbUri, backupFolder, registries }: Saved, log: Log): Promise<void> {
  for (const { process } of registries) await process.kill();
  const client = new MongoClient(mongodbUri);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
  await runOrThrow(log, mongodbUri, "restore", "--folder", backupFolder, "--skip-serials", "100000");
  for (const { process } of registries) await process.start();
}

async function runOrThrow(log: Log, uri: string, ...args: string[]): Promise<void> {
  const { code, out, error } = await runBackup(uri, ...args);
  if (code !== 0) throw new Error(`backup ${args[0]} failed: ${error}`);
  for (const line of out.trim().split("\n")) log(line);
}
