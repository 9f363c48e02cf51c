import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const pollMs = 100;
const timeLimitMs = 60_000;

/**
 * Waits, for at most one minute, until the receiver has logged this many verified messages.
 *
 * @param logFile contains one line for each verified message
 * @returns the number of lines in the file
 */
export async function waitForDeliveries(logFile: string, expected: number, signal: AbortSignal): Promise<number> {
  const deadline = Date.now() + timeLimitMs;
  for (;;) {
    const text = await readFile(logFile, "utf8").catch(() => "");
    const count = text.split("\n").length - 1;
    if (count >= expected || Date.now() >= deadline) return count;
    await delay(pollMs, undefined, { signal });
  }
}
