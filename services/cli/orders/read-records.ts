import { ExportError } from "./export-error.ts";
import { type CsvRecord, type Parsed, RecordParser } from "./record-parser.ts";
import { Utf8Lines } from "./utf8-lines.ts";

/**
 * The records of a CSV file in UTF-8, in their order, the header first; reads on only as they are taken. Fails with
 * {@link ExportError}, after all records before the fault, where the bytes are not UTF-8, a record is larger than
 * 1 MiB or a quotation mark is never closed.
 */
export async function* readRecords(source: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  const utf8 = new Utf8Lines();
  const parser = new RecordParser();
  let sound = true;
  for await (const bytes of source) {
    const usable = utf8.take(bytes);
    sound = usable === bytes.byteLength;
    yield* recordsOf(await parser.write(bytes.subarray(0, usable)));
    if (!sound) break;
  }
  const last = await parser.end();
  if (sound && utf8.end()) {
    yield* recordsOf(last);
  } else {
    yield* last.records.filter((record) => record.endLine < utf8.line);
    throw notUtf8(utf8.line);
  }
}

function* recordsOf({ records, fault }: Parsed): Generator<CsvRecord> {
  yield* records;
  if (fault !== null) throw fault;
}

function notUtf8(line: number): ExportError {
  return new ExportError(
    `Line ${line} is not UTF-8 text; export the orders again or save the file as UTF-8.`,
    { line },
  );
}
