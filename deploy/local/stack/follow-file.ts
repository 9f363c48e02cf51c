import { type FileHandle, open, stat } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";

const bytesMax = 1_048_576;

/** Reads the lines that are appended to a file. */
export class AppendedLines {
  readonly #handle: FileHandle;
  #position: number;
  #rest = "";
  // Keeps the bytes of a character that has not been written completely.
  readonly #decoder = new StringDecoder("utf8");
  readonly #chunk = Buffer.alloc(bytesMax);
  #reading: Promise<unknown> = Promise.resolve();

  private constructor(handle: FileHandle, position: number) {
    this.#handle = handle;
    this.#position = position;
  }

  /** Opens a file. @param position offset of the first line to read */
  static async open(file: string, position = 0): Promise<AppendedLines> {
    return new AppendedLines(await open(file, "r"), position);
  }

  /** Returns the lines that were completed since the last call. Concurrent calls read one after another. */
  read(): Promise<string[]> {
    const lines = this.#reading.then(() => this.#readToEnd());
    this.#reading = lines.catch(() => undefined);
    return lines;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #readToEnd(): Promise<string[]> {
    const found: string[] = [];
    for (;;) {
      const { bytesRead } = await this.#handle.read({ buffer: this.#chunk, position: this.#position });
      if (bytesRead === 0) return found;
      this.#position += bytesRead;
      const lines = (this.#rest + this.#decoder.write(this.#chunk.subarray(0, bytesRead))).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) found.push(line);
    }
  }
}

/**
 * Calls `onLine` for each line that is appended to a file from now on, until the signal aborts.
 *
 * @param pollMs pause in milliseconds before the next read when the file has not grown
 */
export async function followFile(
  file: string,
  onLine: (line: string) => void,
  signal: AbortSignal,
  pollMs = 500,
): Promise<void> {
  const appended = await AppendedLines.open(file, (await stat(file)).size);
  try {
    while (!signal.aborted) {
      const lines = await appended.read();
      lines.forEach(onLine);
      if (lines.length === 0) await delay(pollMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await appended.close();
  }
}
