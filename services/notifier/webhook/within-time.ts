import { connectionFailed } from "./delivery-failure.ts";

/** How long a step of an attempt may take. */
export interface StepLimit {
  readonly timeoutMs: number;
  /** The beginning of the sentence that is recorded when time is up. */
  readonly problem: string;
  /** Cuts the attempt short; its reason says how that is recorded. */
  readonly cut: AbortSignal;
}

/**
 * Takes one step of an attempt. Its signal tells it to end: when time is up, with a DeliveryFailure as the reason, or
 * when the attempt is cut short, with the cut's.
 */
export async function withinTime<T>(limit: StepLimit, step: (ending: AbortSignal) => Promise<T>): Promise<T> {
  const { timeoutMs, problem, cut } = limit;
  const ending = new AbortController();
  const timer = setTimeout(
    () => ending.abort(connectionFailed(`${problem} within ${timeoutMs / 1_000} seconds.`)),
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
