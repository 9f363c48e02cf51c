import { type OwnerKind, otherDataRemedy } from "./database-plan.ts";
import type { DatabaseRecord, FolderContent } from "./database-record.ts";
import type { Program } from "./program.ts";
import { SetupError } from "./setup-error.ts";

/**
 * Returns the kind of server that a data folder belongs to: the kind in its record. Without a record, these rules apply
 * in order:
 *
 * 1. If the previous start used MONGODB_URI, the folder belongs to the server at MONGODB_URI.
 * 2. If the folder contains no data, it has no owner. If it contains data of one server, it belongs to that server.
 * 3. If it contains data of several servers, it belongs to the server of the previous start.
 *
 * @param previous kind of server at the previous start, if the caller knows it
 * @throws SetupError when the folder contains data of several servers, and neither a record nor `previous` selects one
 */
export function ownerOf(
  folder: string,
  { record, kindsWithData }: FolderContent,
  previous: string | undefined,
): OwnerKind | undefined {
  if (record !== undefined) return record.kind;
  if (previous === "MONGODB_URI") return previous;
  const [only, ...others] = kindsWithData;
  if (others.length === 0) return only;
  const known = kindsWithData.find((kind) => kind === previous);
  if (known !== undefined) return known;
  const kinds = kindsWithData.join(" and ");
  throw new SetupError(
    `${folder} contains data from ${kinds}: delete the subfolder of each server that you do not need.`,
  );
}

/**
 * Checks that the recorded version of the data is the program's version. Stand-ins do not check this themselves.
 *
 * @throws SetupError when the data was written by another version; not when the record or the program has no version
 */
export function requireVersion(folder: string, record: DatabaseRecord | undefined, program: Program): void {
  const { version: written = null } = record ?? {};
  if (written === null || program.version === undefined || written === program.version) return;
  const data = `The data in ${folder} was written by ${program.kind} ${written}`;
  throw new SetupError(`${data}, and version ${program.version} may be unable to read it: ${otherDataRemedy}.`);
}
