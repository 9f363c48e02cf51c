import { open, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const pollMs = 500;
const bytesMax = 64 * 1024;

/** Calls `onLine` for each line that is appended to a file from now on, until the signal aborts. */
export async function followFile(file: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void> {
  let position = (await stat(file)).size;
  let rest = "";
  const handle = await open(file, "r");
  try {
    while (!signal.aborted) {
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(bytesMax), position });
      position += bytesRead;
      const lines = (rest + buffer.toString("utf8", 0, bytesRead)).split("\n");
      rest = lines.pop() ?? "";
      lines.forEach(onLine);
      if (bytesRead === 0) await delay(pollMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await handle.close();
  }
}
