import { addAbortListener } from "node:events";
import type { DeliveryFailure } from "./delivery-failure.ts";

/** The time limit of one phase of an attempt. */
export interface PhaseTimeout {
  readonly timeoutMs: number;
  /** Creates the failure of a phase that exceeds its limit. @param within the limit in words, as `within 5 seconds` */
  readonly failure: (within: string) => DeliveryFailure;
  /** Interrupts the attempt; its reason becomes the failure. */
  readonly signal: AbortSignal;
}

/**
 * Runs one phase of an attempt. The phase's own signal aborts on timeout, with the failure as its reason, or when the
 * attempt is interrupted, with that signal's reason.
 */
export async function withTimeout<T>(
  { timeoutMs, failure, signal }: PhaseTimeout,
  phase: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  using _timer = setTimeout(() => controller.abort(failure(within(timeoutMs))), timeoutMs);
  using _listener = addAbortListener(signal, () => controller.abort(signal.reason));
  return await phase(controller.signal);
}

/** Returns a time limit in words: `within 0.5 seconds`. */
export function within(timeoutMs: number): string {
  return `within ${timeoutMs / 1_000} seconds`;
}
