/** How long the caller of a call waits for the result. */
export interface CallLimits {
  /** The time at which the caller gives up, by the monotonic clock, in milliseconds; `Infinity`: never. */
  readonly deadline: number;
  /** Aborts when the caller disconnects; the signal of a gRPC call also aborts when its deadline passes. */
  readonly signal: AbortSignal;
}

/** The limits of background work, which has no caller. */
export const noLimits: CallLimits = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
