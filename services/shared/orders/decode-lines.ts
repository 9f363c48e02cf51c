import { reason } from "../reasons/reason.ts";
import { ExportError } from "./export-error.ts";

const lineFeed = 0x0a;

/**
 * Decodes UTF-8 and keeps a byte order mark. Yields each line with its line feed; yields a line that spans several
 * chunks in parts. A fatal decoder rejects its whole input, so only decoding line by line yields all lines before the
 * fault.
 *
 * @throws ExportError at the first line that is not UTF-8
 */
export async function* decodeLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let line = 1;
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw new ExportError(reason("file_not_utf8"), { line, cause });
    }
  };
  for await (const chunk of source) {
    for (let start = 0; start < chunk.byteLength; ) {
      const end = chunk.indexOf(lineFeed, start) + 1 || chunk.byteLength;
      yield decode(chunk.subarray(start, end));
      if (chunk[end - 1] === lineFeed) line += 1;
      start = end;
    }
  }
  decode();
}
