import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { databaseKinds, ownerKinds } from "./database-plan.ts";
import type { FolderContent } from "./folder-owner.ts";
import { SetupError } from "./setup-error.ts";

const recordSchema = z.object({
  kind: z.enum(ownerKinds),
  /** Null when the server itself checks whether it can read its data. */
  version: z.string().nullable(),
});

/** The database server that a data folder belongs to. */
export type DatabaseRecord = z.output<typeof recordSchema>;

const recordFile = (folder: string) => join(folder, "server.json");

/**
 * Reads which server a data folder belongs to.
 *
 * @param folder may be missing
 * @throws SetupError when the record cannot be understood
 */
export async function readFolderContent(folder: string): Promise<FolderContent> {
  const text = await readFile(recordFile(folder), "utf8").catch(() => undefined);
  return { record: text === undefined ? undefined : parse(text, folder), kindsWithData: await kindsWithData(folder) };
}

function parse(text: string, folder: string): DatabaseRecord {
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    const problem = `${recordFile(folder)} does not name a database server`;
    throw new SetupError(`${problem}: restore the file, or delete the data (npm start -- --reset).`);
  }
}

async function kindsWithData(folder: string) {
  const filesOf = (kind: string) => readdir(join(folder, kind, "storage")).catch(() => []);
  const counts = await Promise.all(databaseKinds.map(async (kind) => (await filesOf(kind)).length));
  return databaseKinds.filter((_, index) => counts[index] !== 0);
}

/** Durably records the server of a data folder, in one step: an interruption leaves the complete record or none. */
export async function writeDatabaseRecord(folder: string, record: DatabaseRecord): Promise<void> {
  await mkdir(folder, { recursive: true });
  const part = `${recordFile(folder)}.part`;
  await writeFile(part, `${JSON.stringify(record)}\n`, { flush: true });
  await rename(part, recordFile(folder));
}

/**
 * Deletes the record and the server's files, so that every kind may use the folder again. Only for a server that never
 * became ready and therefore stored nothing.
 */
export async function removeDatabaseRecord(folder: string, { kind }: DatabaseRecord): Promise<void> {
  await rm(join(folder, kind), { recursive: true, force: true });
  await rm(recordFile(folder), { force: true });
}
