import { setTimeout as delay } from "node:timers/promises";
import { SetupError } from "./setup-error.ts";

const pauseMs = 50;

/** Tries again until `attempt` resolves to true; errors count as "not yet" except SetupError, which ends it, as the signal does. */
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
