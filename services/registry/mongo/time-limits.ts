/**
 * Maximum `maxTimeMS`, in milliseconds, of an operation that a caller waits for. By default, calls have a deadline of
 * five seconds, so a longer operation would have no caller left.
 */
export const operationTimeLimitMs = 4_000;
