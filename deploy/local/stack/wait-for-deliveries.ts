import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const pollMs = 1_000;
const timeLimitMs = 60_000;

/**
 * Waits, for at most one minute, until the receiver has logged verified messages and then none for one second.
 *
 * @param logFile contains one line for each verified message
 * @returns the number of lines in the file
 */
export async function waitForDeliveries(logFile: string, signal: AbortSignal): Promise<number> {
  const deadline = Date.now() + timeLimitMs;
  let before = -1;
  for (;;) {
    const text = await readFile(logFile, "utf8").catch(() => "");
    const count = text.split("\n").length - 1;
    if ((count > 0 && count === before) || Date.now() >= deadline) return count;
    before = count;
    await delay(pollMs, undefined, { signal });
  }
}
