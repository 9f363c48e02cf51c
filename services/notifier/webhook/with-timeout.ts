import { after } from "#shared/time/after.ts";
import type { DeliveryFailure } from "./delivery-failure.ts";
import { onAbort } from "./on-abort.ts";

/** The time limit of one phase of an attempt. */
export interface PhaseTimeout {
  readonly timeoutMs: number;
  /** Creates the failure for a phase that exceeds its limit. @param seconds the limit */
  readonly failure: (seconds: number) => DeliveryFailure;
  /** Interrupts the attempt, which then fails with the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Runs one phase of an attempt. The signal passed to `phase` aborts with the failure as its reason on timeout, or with
 * the reason of the attempt's signal on interruption.
 */
export async function withTimeout<T>(
  { timeoutMs, failure, signal }: PhaseTimeout,
  phase: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  using _limit = after(timeoutMs, () => controller.abort(failure(timeoutMs / 1_000)));
  using _listener = onAbort(signal, () => controller.abort(signal.reason));
  return await phase(controller.signal);
}
