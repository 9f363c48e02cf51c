import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { CsvError, Parser } from "csv-parse";
import { z } from "zod";
import { reason } from "../reasons/reason.ts";
import { decodeLines } from "./decode-lines.ts";
import { ExportError } from "./export-error.ts";

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
// After a turn, parsing pauses for three times as long: a file of the shortest rows takes many seconds of processor
// time, and other requests take several turns of the event loop each.
const turnMs = 2;
const pauseMs = 3 * turnMs;
// RFC 4180, section 2, for a record without its line ending.
const quotedCell = '"[^"]*(?:""[^"]*)*"';
const wellQuotedRecord = new RegExp(`^(?:${quotedCell}|[^",]*)(?:,(?:${quotedCell}|[^",]*))*$`);

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
    // This parser is therefore lenient, and isWellQuoted checks the records that contain quotation marks.
    relax_quotes: true,
    raw: true,
    on_record: (record, { raw = "" }) => {
      const { record: cells } = recordWithRaw.parse(record);
      // The parser makes an error, with a copy of the record, for each record that is not as wide as the first one of
      // its count, and then relax_column_count drops it: 90 % of the time for a file of such records.
      Object.assign(parser.info, { records: 0 });
      // The raw text of a record ends with the first byte of its line ending.
      const text = raw.replace(/[\r\n]$/, "");
      const line = nextLine;
      // csv-parse's own line number counts a CRLF inside quotes twice.
      const endLine = line + text.split("\n").length - 1;
      nextLine = endLine + 1;
      if (cells.length > cellsMax) tooWide ??= tooManyCells(line);
      if (text !== "" && tooWide === undefined && line <= linesMax)
        records.push({ line, endLine, cells, wellQuoted: isWellQuoted(text) });
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
      if (nextLine > linesMax) throw tooManyLines();
      if (performance.now() < turnAt) continue;
      await delay(pauseMs);
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
  return !record.includes('"') || wellQuotedRecord.test(record);
}

function tooManyCells(line: number): ExportError {
  return new ExportError(reason("row_too_wide", { max: cellsMax }), { line });
}

function tooManyLines(): ExportError {
  return new ExportError(reason("too_many_lines", { max: linesMax }), { line: linesMax + 1 });
}

function csvFault(cause: CsvError, line: number): Error {
  if (cause.code === "CSV_QUOTE_NOT_CLOSED") return new ExportError(reason("quotation_unclosed"), { line, cause });
  if (cause.code === "CSV_MAX_RECORD_SIZE")
    return new ExportError(reason("row_too_large", { kibibytes: recordCharactersMax / 1_024 }), { line, cause });
  return cause;
}
