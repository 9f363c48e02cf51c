import { setTimeout as delay } from "node:timers/promises";
import { SetupError } from "./setup-error.ts";

const pauseMs = 50;

/**
 * Retries `attempt`, with pauses of 50 ms, until it resolves to true. Errors other than SetupError count as false.
 *
 * @throws the SetupError of an attempt, or an error when the signal aborts
 */
export async function until(signal: AbortSignal, attempt: () => Promise<boolean>): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      if (await attempt()) return;
    } catch (error) {
      if (error instanceof SetupError) throw error;
    }
    await delay(pauseMs, undefined, { signal });
  }
}
