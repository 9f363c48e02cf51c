/**
 * Maximum `maxTimeMS`, in milliseconds, of an operation that a caller waits for. With a call's default deadline of five
 * seconds, this leaves one second for the rest of the call.
 */
export const operationTimeLimitMs = 4_000;

/** Options that limit an operation to {@link operationTimeLimitMs}. For calls outside of transactions. */
export const limited: { readonly maxTimeMS: number } = { maxTimeMS: operationTimeLimitMs };

/** Returns options that limit an operation to the shorter of `timeLimitMs` and {@link operationTimeLimitMs}. */
export function atMost(timeLimitMs = Number.POSITIVE_INFINITY): { readonly maxTimeMS: number } {
  return { maxTimeMS: Math.min(operationTimeLimitMs, timeLimitMs) };
}
