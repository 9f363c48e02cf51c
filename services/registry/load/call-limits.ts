/** The deadline of a call and the signal of its caller's disconnection. */
export interface CallLimits {
  /** The time at which the caller gives up, by the monotonic clock, in milliseconds; `Infinity`: never. */
  readonly deadline: number;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** The limits of background work, which has no caller. */
export const noLimits: CallLimits = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
