import { setTimeout as delay } from "node:timers/promises";
import { countLines } from "./follow-file.ts";

const lookEveryMs = 1_000;
const timeLimitMs = 60_000;

/**
 * Waits until the receiver gets nothing more for a second, at most a minute.
 *
 * @param logFile has one line for each verified message
 * @returns how many messages it got
 */
export async function waitForReceiver(logFile: string, signal: AbortSignal): Promise<number> {
  const deadline = Date.now() + timeLimitMs;
  let before = -1;
  for (;;) {
    const count = await countLines(logFile);
    if (count === before || Date.now() >= deadline) return count;
    before = count;
    await delay(lookEveryMs, undefined, { signal });
  }
}
