/** Why a caller no longer waits: its deadline has passed, or it has disconnected. */
type NoTimeLeft = "deadline" | "caller_left";

/**
 * Returns how long a caller will still wait, in whole milliseconds (at least 1), or why it no longer waits.
 *
 * @param deadline when the caller gives up, in milliseconds on the same clock as `now`; `Infinity` if it never does
 * @param signal aborts when the caller disconnects
 */
export function remainingTime(deadline: number, now: number, signal: AbortSignal): number | NoTimeLeft {
  const remaining = Math.floor(deadline - now);
  // Checked before the signal, because the signal of a gRPC call also aborts when the deadline passes.
  if (remaining < 1) return "deadline";
  return signal.aborted ? "caller_left" : remaining;
}
