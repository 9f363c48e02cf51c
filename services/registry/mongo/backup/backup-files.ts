import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";
import { replaceJsonFile } from "#shared/files/replace-json-file.ts";

const summaryName = "backup.json";
/** The name of the file that {@link volumeTimeMs} creates for a moment. */
export const volumeTimeName = ".time";
const lengthBytes = 4;
// An empty document, and MongoDB's limit with the room that it leaves for internal fields.
const documentBytes = { min: 5, max: 16 * 1_048_576 + 16_384 };

const summarySchema = z.object({
  /** The database's time when the backup began. The backup contains every change committed before this time. */
  takenAt: z.iso.datetime(),
  /** The number of documents of each collection. */
  counts: z.record(z.string(), z.int().nonnegative()),
});

/** Describes a complete backup. */
export type BackupSummary = z.output<typeof summarySchema>;

/** Creates the folder of a backup. @throws Error if it exists and is not empty */
export async function createFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty. Choose a new folder.`);
}

/** Deletes the files of an incomplete backup, but not its folder, which may be a mounted volume. */
export async function deleteFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(path.join(folder, name));
}

/** Writes the documents of a collection to a backup's folder. @returns the number of documents */
export async function writeCollection(
  folder: string,
  name: string,
  documents: AsyncIterable<Uint8Array>,
): Promise<number> {
  let count = 0;
  const counted = async function* () {
    for await (const document of documents) {
      count++;
      yield document;
    }
  };
  // With `flush`, the data is on the disk before the summary says so, and before older backups are deleted.
  await pipeline(counted, createWriteStream(fileOf(folder, name), { mode: 0o600, flags: "wx", flush: true }));
  return count;
}

/** Reads the documents of a collection from a backup's folder. @throws Error for a file that is damaged or cut off */
export async function* readCollection(folder: string, name: string): AsyncGenerator<Buffer> {
  let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  for await (const chunk of createReadStream(fileOf(folder, name), { highWaterMark: 1_048_576 })) {
    rest = Buffer.concat([rest, chunk]);
    let start = 0;
    while (rest.length - start >= lengthBytes) {
      const length = rest.readInt32LE(start);
      // Otherwise the rest of the file, however long, would be read as one document.
      if (length < documentBytes.min || length > documentBytes.max) throw damaged(`${fileOf(folder, name)} is damaged`);
      if (rest.length - start < length) break;
      yield rest.subarray(start, start + length);
      start += length;
    }
    rest = rest.subarray(start);
  }
  if (rest.length > 0) throw damaged(`${fileOf(folder, name)} ends in the middle of a document`);
}

/** Returns the error for a backup that cannot be restored. */
export function damaged(problem: string, options?: ErrorOptions): Error {
  return new Error(`${problem}. Drop the database, and restore another backup.`, options);
}

/** Marks a backup as complete: an incomplete one has no such file, and none has a part of it. */
export function writeSummary(folder: string, summary: BackupSummary): void {
  replaceJsonFile(path.join(folder, summaryName), summary, 0o600);
}

/** Reads the summary of a backup. @throws Error if the folder contains no complete backup */
export async function readSummary(folder: string): Promise<BackupSummary> {
  try {
    return summarySchema.parse(JSON.parse(await readFile(path.join(folder, summaryName), "utf8")));
  } catch (cause) {
    throw new Error(`${folder} contains no complete backup: ${summaryName} is missing or invalid.`, { cause });
  }
}

/**
 * Returns when a backup was completed, by the volume's clock, in milliseconds since 1970; undefined if the folder
 * contains no complete backup.
 *
 * @throws Error if the folder cannot be read
 */
export async function completedMs(folder: string): Promise<number | undefined> {
  try {
    return (await stat(path.join(folder, summaryName))).mtimeMs;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

/**
 * Returns when the files of a backup were last changed, in milliseconds since 1970; infinity if one of them disappears
 * meanwhile, because another program is changing them.
 */
export async function changedMs(folder: string): Promise<number> {
  try {
    const files = (await readdir(folder)).map((name) => path.join(folder, name));
    const times = await Promise.all([folder, ...files].map(async (file) => (await stat(file)).mtimeMs));
    return Math.max(...times);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Returns the current time by the clock that gives the files in a folder their times, in milliseconds since 1970: on a
 * network volume, that of another machine.
 *
 * @throws Error if no file can be created, such as on a full volume
 */
export async function volumeTimeMs(folder: string): Promise<number> {
  const probe = path.join(folder, volumeTimeName);
  // One of a program that was killed may be old; and another program may delete this one meanwhile.
  await rm(probe, { force: true });
  await using file = await open(probe, "w", 0o600);
  try {
    return (await file.stat()).mtimeMs;
  } finally {
    await rm(probe, { force: true });
  }
}

// Each collection is a file of BSON documents, one after the other: the format of mongodump and mongorestore.
function fileOf(folder: string, name: string): string {
  return path.join(folder, `${name}.bson`);
}
