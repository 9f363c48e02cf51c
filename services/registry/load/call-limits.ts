/** How long a caller waits for its reply, and whether it is still there. */
export interface CallLimits {
  /** The time at which the caller gives up, by the monotonic clock, in milliseconds; `Infinity`: never. */
  readonly deadline: number;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** The limits of work that no caller waits for. */
export const noLimits: CallLimits = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
