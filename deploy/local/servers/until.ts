import { setTimeout as delay } from "node:timers/promises";
import { messageOf, SetupError } from "./setup-error.ts";

const pauseMs = 50;

/**
 * Retries `attempt`, with pauses of 50 ms, until it resolves to true. Errors other than SetupError count as false.
 *
 * @throws the SetupError of an attempt, or, when the signal aborts, an error with its reason and the last attempt's
 * error, whose stack trace names the caller that waited
 */
export async function until(signal: AbortSignal, attempt: () => Promise<boolean>): Promise<void> {
  let failure: unknown;
  while (!signal.aborted) {
    try {
      if (await attempt()) return;
      failure = undefined;
    } catch (error) {
      if (error instanceof SetupError) throw error;
      failure = error;
    }
    // An abort ends the pause.
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  const last = failure === undefined ? "" : `; the last attempt failed: ${messageOf(failure)}`;
  throw new Error(`ended waiting: ${messageOf(signal.reason)}${last}`, { cause: failure ?? signal.reason });
}
