import { finished } from "node:stream/promises";
import { CsvError, Parser } from "csv-parse";
import { parse } from "csv-parse/sync";
import { z } from "zod";
import { decodeLines } from "./decode-lines.ts";
import { ExportError } from "./export-error.ts";

const recordBytesMax = 1024 * 1024;
// The value that csv-parse passes with `raw: true`; the types of csv-parse describe the value without this option.
const recordWithRaw = z.object({ record: z.array(z.string()) });
const format = { record_delimiter: ["\r\n", "\n"], relax_column_count: true };

/** A record of the CSV file: the header or a row. */
export interface CsvRecord {
  /** Physical line where the record begins, 1-based. */
  readonly line: number;
  /** Physical line where the record ends; later than `line` if a quoted cell contains line breaks. */
  readonly endLine: number;
  readonly cells: readonly string[];
  /** False if a quotation mark is misplaced (RFC 4180, section 2), so that the cells may be wrong. */
  readonly wellQuoted: boolean;
}

/**
 * Yields the records of a UTF-8 CSV file in file order, the header first, without blank lines. Keeps at most one record
 * (1 MiB) in memory, and reads no further while a record is being processed.
 *
 * @throws ExportError after yielding all records before the fault: bytes that are not UTF-8, a record larger than
 * 1 MiB, or a quotation mark that is never closed
 */
export async function* readRecords(source: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  const records: CsvRecord[] = [];
  let nextLine = 1;
  const parser = new Parser({
    ...format,
    bom: true,
    // A strict parser ends at a misplaced quotation mark or, with skip_records_with_error, loses the rows after it.
    // This parser is therefore lenient, and isWellQuoted parses records that contain quotation marks again, strictly.
    relax_quotes: true,
    raw: true,
    max_record_size: recordBytesMax,
    on_record: (record, { raw = "" }) => {
      const { record: cells } = recordWithRaw.parse(record);
      // The raw text of a record ends with the first byte of its line ending.
      const text = raw.replace(/[\r\n]$/, "");
      const line = nextLine;
      // csv-parse's own line number counts a CRLF inside quotes twice.
      const endLine = line + text.split("\n").length - 1;
      nextLine = endLine + 1;
      if (text !== "") records.push({ line, endLine, cells, wellQuoted: isWellQuoted(text) });
      return null;
    },
  });
  const completed = finished(parser, { readable: false });
  completed.catch(() => undefined);
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => parser.write(text, (error) => (error ? reject(error) : resolve())));
  try {
    for await (const text of decodeLines(source)) {
      await write(text);
      yield* records.splice(0);
    }
    parser.end();
    await completed;
    yield* records;
  } catch (error) {
    if (error instanceof CsvError) {
      yield* records;
      throw csvFault(error, nextLine);
    }
    if (error instanceof ExportError) {
      // The parser emits a record only after it sees the next bytes or the end of the file.
      parser.end();
      await completed.catch(() => undefined);
      yield* records.filter(({ endLine }) => endLine < (error.line ?? 0));
    }
    throw error;
  }
}

function isWellQuoted(record: string): boolean {
  if (!record.includes('"')) return true;
  try {
    parse(record, format);
    return true;
  } catch {
    return false;
  }
}

function csvFault(cause: CsvError, line: number): Error {
  if (cause.code === "CSV_QUOTE_NOT_CLOSED") {
    const message = `The row that begins on line ${line} has a quotation mark that is never closed. Correct the row and import the file again.`;
    return new ExportError(message, { line, cause });
  }
  if (cause.code === "CSV_MAX_RECORD_SIZE") {
    const message = `The row that begins on line ${line} is larger than 1 MiB, perhaps because a quotation mark is never closed. Correct the row and import the file again.`;
    return new ExportError(message, { line, cause });
  }
  return cause;
}
