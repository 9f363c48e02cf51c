import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { rejectedLineHeading } from "#shared/orders/export-columns.ts";
import { ExportError } from "#shared/orders/export-error.ts";
import { type ImportProblem, importProblemText } from "#shared/orders/import-tally.ts";
import { readRecords } from "#shared/orders/read-records.ts";
import { csvRecord } from "#shared/text/csv-record.ts";
import { UsageError } from "../../output/usage-error.ts";

const ownHeadings = [rejectedLineHeading, "Rejected column", "Reason"];
// The rows contain names and e-mail addresses.
const ownerOnly = 0o600;

/** A CSV file of the rows for which an import did not issue all certificates, with their line numbers and reasons. */
export interface RejectsFile {
  /** Number of rows with a problem so far. */
  readonly rowCount: number;
  /** Adds a problem; {@link write} writes it with its row. */
  add(problem: ImportProblem): void;
  /** Writes the rows in the order of the export, after the export's header. @param source the export, from its start */
  write(source: AsyncIterable<Uint8Array>): Promise<void>;
}

/**
 * Opens a rejects file. Call this before the import, so that a file that cannot be written is reported before anything
 * is issued. Replaces only an empty file or an earlier rejects file, whose rows remain until `write` is called.
 *
 * @throws UsageError if the file exists and has other content; Error if it cannot be written
 */
export async function openRejectsFile(file: string): Promise<RejectsFile> {
  const handle = await openReplaceable(file);
  const problems = new Map<number, ImportProblem[]>();
  return {
    get rowCount() {
      return problems.size;
    },
    add(problem) {
      const ofLine = problems.get(problem.line);
      if (ofLine === undefined) problems.set(problem.line, [problem]);
      else ofLine.push(problem);
    },
    write: async (source) => {
      await handle.truncate();
      await pipeline(Readable.from(rejectRecords(source, problems)), handle.createWriteStream());
    },
  };
}

async function openReplaceable(file: string): Promise<FileHandle> {
  const handle = await open(file, "a+", ownerOnly);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(rejectedLineHeading.length), position: 0 });
    if (bytesRead > 0 && buffer.toString("utf8", 0, bytesRead) !== rejectedLineHeading)
      throw new UsageError(`The file ${file} exists and is not a rejects file. Specify another file.`);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function* rejectRecords(
  source: AsyncIterable<Uint8Array>,
  problems: ReadonlyMap<number, readonly ImportProblem[]>,
): AsyncGenerator<string> {
  let isHeader = true;
  try {
    for await (const { line, cells } of readRecords(source)) {
      const ofLine = problems.get(line);
      if (isHeader) yield csvRecord([...ownHeadings, ...cells], "\n");
      else if (ofLine !== undefined) yield csvRecord([...reasonCells(line, ofLine), ...cells], "\n");
      isHeader = false;
    }
  } catch (error) {
    // The import has already reported the fault that makes the rest of the export unreadable.
    if (!(error instanceof ExportError)) throw error;
  }
}

function reasonCells(line: number, problems: readonly ImportProblem[]): string[] {
  const columns = new Set(problems.flatMap(({ column }) => column ?? []));
  return [String(line), [...columns].join(", "), problems.map((problem) => importProblemText(problem, "en")).join(" ")];
}
