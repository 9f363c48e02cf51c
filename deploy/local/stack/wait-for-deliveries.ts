import { setTimeout as delay } from "node:timers/promises";
import { countLines } from "./follow-file.ts";

const pollMs = 1_000;
const timeLimitMs = 60_000;

/**
 * Waits until the receiver has received no message for one second, at most one minute.
 *
 * @param logFile contains one line for each verified message
 * @returns the number of messages
 */
export async function waitForDeliveries(logFile: string, signal: AbortSignal): Promise<number> {
  const deadline = Date.now() + timeLimitMs;
  let before = -1;
  for (;;) {
    const count = await countLines(logFile);
    if (count === before || Date.now() >= deadline) return count;
    before = count;
    await delay(pollMs, undefined, { signal });
  }
}
