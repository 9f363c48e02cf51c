import { connectionFailed, type DeliveryFailure } from "./delivery-failure.ts";

/** How long a step of an attempt may take. */
export interface StepLimit {
  readonly timeoutMs: number;
  /** The beginning of the sentence that is recorded when time is up. */
  readonly problem: string;
  /** What it is a failure of, then. Default the connection. */
  readonly failed?: (reason: string) => DeliveryFailure;
  /** Cuts the attempt short; its reason says how that is recorded. */
  readonly cut: AbortSignal;
}

/**
 * Takes one step of an attempt. Its signal tells it to end: when time is up, with a DeliveryFailure as the reason, or
 * when the attempt is cut short, with the cut's.
 */
export async function withTimeout<T>(
  limit: StepLimit,
  step: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const { timeoutMs, problem, failed = connectionFailed, cut } = limit;
  const ending = new AbortController();
  const timer = setTimeout(
    () => ending.abort(failed(`${problem} within ${timeoutMs / 1_000} seconds.`)),
    timeoutMs,
  );
  const onCut = () => ending.abort(cut.reason);
  cut.addEventListener("abort", onCut, { once: true });
  if (cut.aborted) onCut();
  try {
    return await step(ending.signal);
  } finally {
    clearTimeout(timer);
    cut.removeEventListener("abort", onCut);
  }
}
