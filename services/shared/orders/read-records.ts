import { finished } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CsvError, Parser } from "csv-parse";
import { parse } from "csv-parse/sync";
import { z } from "zod";
import { decodeLines } from "./decode-lines.ts";
import { ExportError } from "./export-error.ts";

// Also bounds how long the strict parser occupies the event loop.
const recordCharactersMax = 128 * 1024;
const cellsMax = 1_000;
// Blank lines count: each costs the parser several microseconds.
const linesMax = 2_000_000;
// The value that csv-parse passes with `raw: true`; the types of csv-parse describe the value without this option.
const recordWithRaw = z.object({ record: z.array(z.string()) });
// After 1,000 cells, the parser takes separators for text. Thus a record has at most one cell too many, and the text
// counts towards the size of the record, which separators do not.
const format = {
  record_delimiter: ["\r\n", "\n"],
  relax_column_count: true,
  ignore_last_delimiters: cellsMax + 1,
  max_record_size: recordCharactersMax,
};
// Parsing yields to the event loop after this time.
const turnMs = 10;

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
 * (128 KiB) in memory, and reads no further while a record is being processed. Lets other work run while it parses.
 *
 * @throws ExportError after yielding all records before the fault: bytes that are not UTF-8, a record larger than
 * 128 KiB or with more than 1,000 cells, more than 2,000,000 lines, or a quotation mark that is never closed
 */
export async function* readRecords(source: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  const records: CsvRecord[] = [];
  let nextLine = 1;
  let tooWide: ExportError | undefined;
  const parser = new Parser({
    ...format,
    bom: true,
    // A strict parser ends at a misplaced quotation mark or, with skip_records_with_error, loses the rows after it.
    // This parser is therefore lenient, and isWellQuoted parses records that contain quotation marks again, strictly.
    relax_quotes: true,
    raw: true,
    on_record: (record, { raw = "" }) => {
      const { record: cells } = recordWithRaw.parse(record);
      // The raw text of a record ends with the first byte of its line ending.
      const text = raw.replace(/[\r\n]$/, "");
      const line = nextLine;
      // csv-parse's own line number counts a CRLF inside quotes twice.
      const endLine = line + text.split("\n").length - 1;
      nextLine = endLine + 1;
      if (cells.length > cellsMax) tooWide ??= tooManyCells(line);
      if (text !== "" && tooWide === undefined) records.push({ line, endLine, cells, wellQuoted: isWellQuoted(text) });
      return null;
    },
  });
  const completed = finished(parser, { readable: false });
  completed.catch(() => undefined);
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => parser.write(text, (error) => (error ? reject(error) : resolve())));
  try {
    let turnAt = performance.now() + turnMs;
    for await (const text of decodeLines(source)) {
      await write(text);
      yield* records.splice(0);
      if (tooWide !== undefined) throw tooWide;
      if (nextLine > linesMax) throw tooManyLines(nextLine);
      if (performance.now() < turnAt) continue;
      await nextTurn();
      turnAt = performance.now() + turnMs;
    }
    parser.end();
    await completed;
    yield* records;
    if (tooWide !== undefined) throw tooWide;
  } catch (error) {
    if (error instanceof CsvError) {
      yield* records;
      throw csvFault(error, nextLine);
    }
    if (error instanceof ExportError && error !== tooWide) {
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

function tooManyCells(line: number): ExportError {
  const message = `The row on line ${line} has more than ${cellsMax.toLocaleString("en")} cells. Delete the columns that are not needed and import the file again.`;
  return new ExportError(message, { line });
}

function tooManyLines(line: number): ExportError {
  const message = `An import takes at most ${linesMax.toLocaleString("en")} lines. Export a shorter period.`;
  return new ExportError(message, { line });
}

function csvFault(cause: CsvError, line: number): Error {
  if (cause.code === "CSV_QUOTE_NOT_CLOSED") {
    const message = `The row that begins on line ${line} has a quotation mark that is never closed. Correct the row and import the file again.`;
    return new ExportError(message, { line, cause });
  }
  if (cause.code === "CSV_MAX_RECORD_SIZE") {
    const message = `The row that begins on line ${line} is larger than 128 KiB, perhaps because a quotation mark is never closed. Correct the row and import the file again.`;
    return new ExportError(message, { line, cause });
  }
  return cause;
}
