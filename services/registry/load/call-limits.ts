/** How long a caller waits for the result of its call. */
export interface CallLimits {
  /** Time at which the caller gives up, in milliseconds of the monotonic clock; `Infinity` means never. */
  readonly deadline: number;
  /** Aborts when the caller disconnects; the signal of a gRPC call also aborts when its deadline passes. */
  readonly signal: AbortSignal;
}

/** The limits of background work, which has no caller. */
export const noLimits: CallLimits = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
