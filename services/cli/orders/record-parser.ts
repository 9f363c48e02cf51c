import { CsvError, Parser } from "csv-parse";
import { ExportError } from "./export-error.ts";
import { isWellQuoted } from "./well-quoted.ts";

const RECORD_SIZE_MAX = 1024 * 1024;

/** A record of the CSV file: the header or a row. */
export interface CsvRecord {
  /** Physical line where it begins, 1-based. */
  readonly line: number;
  /** Physical line where it ends; later than `line` where a quoted cell has line breaks. */
  readonly endLine: number;
  /** Its cells, as many as it has. */
  readonly cells: readonly string[];
  /** False where its quotation marks are out of place, so that its cells may have been read wrongly. */
  readonly wellQuoted: boolean;
}

/** What came of one piece of the file. */
export interface Parsed {
  /** The records that ended in it, in their order. */
  readonly records: readonly CsvRecord[];
  /** Why nothing after these records can be read; null where all is well. */
  readonly fault: ExportError | null;
}

/** Parses CSV bytes piece by piece; keeps no more than the record under way (at most 1 MiB). Blank lines are no records. */
export class RecordParser {
  #records: CsvRecord[] = [];
  #nextLine = 1;
  readonly #parser = new Parser({
    bom: true,
    delimiter: ",",
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    // A stray quotation mark then costs its own record alone; the record is found out by its raw text.
    relax_quotes: true,
    raw: true,
    max_record_size: RECORD_SIZE_MAX,
    on_record: (record, info) => {
      this.#take(record as unknown as { record: string[] }, info.raw ?? "");
      return null;
    },
  });

  constructor() {
    // Failures are told by write and end; without a listener they would end the process too.
    this.#parser.on("error", () => undefined);
  }

  /** Parses the next bytes, any piece of the file. */
  write(bytes: Uint8Array): Promise<Parsed> {
    return this.#parsed((done) => this.#parser.write(bytes, done));
  }

  /** Parses what is left. */
  end(): Promise<Parsed> {
    return this.#parsed((done) => {
      this.#parser.once("error", done);
      this.#parser.end(() => done(null));
    });
  }

  #take({ record }: { record: string[] }, raw: string): void {
    const line = this.#nextLine;
    const text = raw.replace(/(?:\r\n|\n|\r)$/, "");
    const endLine = line + lineBreaks(text);
    this.#nextLine = endLine + 1;
    if (record.length === 1 && record[0] === "") return;
    this.#records.push({ line, endLine, cells: record, wellQuoted: isWellQuoted(text) });
  }

  async #parsed(act: (done: (error?: Error | null) => void) => void): Promise<Parsed> {
    const error = await new Promise<Error | null>((resolve) => act((failed) => resolve(failed ?? null)));
    const records = this.#records;
    this.#records = [];
    return { records, fault: error === null ? null : this.#fault(error) };
  }

  #fault(error: Error): ExportError {
    const line = this.#nextLine;
    const code = error instanceof CsvError ? error.code : "";
    if (code === "CSV_QUOTE_NOT_CLOSED") {
      const message = `A quotation mark in the row that begins in line ${line} is never closed; nothing after it can be read.`;
      return new ExportError(message, { line });
    }
    if (code === "CSV_MAX_RECORD_SIZE") {
      const message = `The row that begins in line ${line} is larger than 1 MiB, perhaps because a quotation mark is never closed; nothing after it can be read.`;
      return new ExportError(message, { line });
    }
    throw error;
  }
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
