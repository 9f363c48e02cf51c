/** How long a caller waits for its reply, and whether it is still there. */
export interface CallLimits {
  /** The time at which the caller gives up, by {@link steadyClock} in milliseconds; `Infinity`: never. */
  readonly deadline: number;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}
