import { isUtf8 } from "node:buffer";
import { reason } from "../reasons/reason.ts";
import { ExportError } from "./export-error.ts";

const lineFeed = 0x0a;
// Enough lines that what follows for each yielded text costs little, and few enough that it takes little time.
const textBytesMax = 2 * 1_024;
// Images, workbooks and archives have a NUL well before.
const examinedBytes = 1_024;

/**
 * Decodes UTF-8 and keeps a byte order mark. Yields lines with their line feeds, several in one text up to 2 KiB;
 * yields a longer line, or one that spans several chunks, in parts. A fatal decoder rejects its whole input, so lines
 * near a fault are decoded one by one, which yields all lines before the fault.
 *
 * @throws ExportError at the first line that is not UTF-8, or if the bytes there belong to no text at all
 */
export async function* decodeLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let line = 1;
  const decode = (bytes?: Uint8Array, examined: Uint8Array = new Uint8Array()): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      if (isNoText(examined)) throw new ExportError(reason("file_not_csv"), { cause });
      throw new ExportError(reason("file_not_utf8"), { line, cause });
    }
  };
  let isAtLineStart = true;
  for await (const chunk of source) {
    for (let start = 0; start < chunk.byteLength; ) {
      const end: number =
        (isAtLineStart && endOfLines(chunk, start)) || chunk.indexOf(lineFeed, start) + 1 || chunk.byteLength;
      yield decode(chunk.subarray(start, end), chunk.subarray(start, start + examinedBytes));
      for (let at = chunk.indexOf(lineFeed, start); at >= 0 && at < end; at = chunk.indexOf(lineFeed, at + 1))
        line += 1;
      isAtLineStart = chunk[end - 1] === lineFeed;
      start = end;
    }
  }
  decode();
}

/** Returns whether bytes that are not UTF-8 are no text: no encoding has a NUL but UTF-16, with its byte order mark. */
function isNoText(bytes: Uint8Array): boolean {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString("hex");
  return bytes.includes(0) && mark !== "fffe" && mark !== "feff";
}

/** Returns the end of the whole lines in the next 2 KiB; 0 if there are none or one of them is not UTF-8. */
function endOfLines(chunk: Uint8Array, start: number): number {
  const end = chunk.lastIndexOf(lineFeed, start + textBytesMax - 1) + 1;
  return end > start && isUtf8(chunk.subarray(start, end)) ? end : 0;
}
