/**
 * `maxTimeMS` of an operation that a caller waits for, at most, in milliseconds. Calls have a deadline of five seconds,
 * so that a longer operation has no caller left.
 */
export const operationTimeLimitMs = 4_000;
