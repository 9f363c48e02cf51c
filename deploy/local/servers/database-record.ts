import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";
import { type DatabaseKind, databaseKinds, ownerKinds } from "./database-plan.ts";
import { SetupError } from "./setup-error.ts";

const recordSchema = z.object({
  kind: z.enum(ownerKinds),
  /** Null when the server itself checks whether it can read its data. */
  version: z.string().nullable(),
});

/** The database server that a data folder belongs to. */
export type DatabaseRecord = z.output<typeof recordSchema>;

/** Evidence in a data folder of which server owns the folder. */
export interface FolderContent {
  readonly record: DatabaseRecord | undefined;
  /**
   * Kinds whose data the folder contains. There may be several if the
   * folder has no record.
   */
  readonly kindsWithData: readonly DatabaseKind[];
}

const recordFile = (folder: string) => join(folder, "server.json");

/**
 * Reads a data folder's record, and finds the kinds of server whose data the folder contains.
 *
 * @param folder may be missing
 * @throws SetupError when the record is invalid
 * @throws Error when a file cannot be read: unreadable data must not count as missing
 */
export async function readFolderContent(folder: string): Promise<FolderContent> {
  const text = await readFile(recordFile(folder), "utf8").catch(ifMissing(undefined));
  return { record: text === undefined ? undefined : parse(text, folder), kindsWithData: await kindsWithData(folder) };
}

function parse(text: string, folder: string): DatabaseRecord {
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    const problem = `${recordFile(folder)} is not a valid record of the database server`;
    throw new SetupError(`${problem}: restore the file, or delete the data (npm start -- --reset).`);
  }
}

/** Returns a rejection handler that replaces the error for a missing file with a value. */
function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (systemErrorCode(error) === "ENOENT") return value;
    throw error;
  };
}

async function kindsWithData(folder: string) {
  const filesOf = (kind: string) => readdir(join(folder, kind, "storage")).catch(ifMissing<string[]>([]));
  const counts = await Promise.all(databaseKinds.map(async (kind) => (await filesOf(kind)).length));
  return databaseKinds.filter((_, index) => counts[index] !== 0);
}

/**
 * Records the server of a data folder that has no record, atomically: an interruption leaves the complete record or
 * none, and only one of several concurrent calls creates it.
 *
 * @returns false when the folder already has a record, which remains as it is
 */
export async function createDatabaseRecord(folder: string, record: DatabaseRecord): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const part = `${recordFile(folder)}.${randomUUID()}.part`;
  try {
    await writeFile(part, `${JSON.stringify(record)}\n`, { flush: true });
    await link(part, recordFile(folder));
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Deletes the record and the server's files, so that a server of any kind may use the folder again. To avoid data loss,
 * call it only during the start that created the record, and only if the folder contained no data before and the server
 * has never become ready.
 */
export async function removeDatabaseRecord(folder: string, { kind }: DatabaseRecord): Promise<void> {
  await rm(join(folder, kind), { recursive: true, force: true });
  await rm(recordFile(folder), { force: true });
}
