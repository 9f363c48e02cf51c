import { open, stat } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";

const bytesMax = 64 * 1024;

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
  let position = (await stat(file)).size;
  let rest = "";
  // Keeps the bytes of a character that has not been written completely.
  const decoder = new StringDecoder("utf8");
  const chunk = Buffer.alloc(bytesMax);
  const handle = await open(file, "r");
  try {
    while (!signal.aborted) {
      const { bytesRead } = await handle.read({ buffer: chunk, position });
      position += bytesRead;
      const lines = (rest + decoder.write(chunk.subarray(0, bytesRead))).split("\n");
      rest = lines.pop() ?? "";
      lines.forEach(onLine);
      if (bytesRead === 0) await delay(pollMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await handle.close();
  }
}
