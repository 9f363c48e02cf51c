/**
 * Compares this machine's clock with another one, which was read at an unknown moment of a call. Returns only a
 * difference that the duration of the call cannot explain.
 *
 * @param call this machine's time at the start and the end of the call, in milliseconds since the epoch
 * @param otherMs the time that the other clock showed, in milliseconds since the epoch
 * @returns how far this machine's clock is at least ahead of the other one, in milliseconds; negative if it is behind
 */
export function clockSkewMs(call: { readonly from: number; readonly to: number }, otherMs: number): number {
  return Math.max(call.from - otherMs, 0) - Math.max(otherMs - call.to, 0);
}
