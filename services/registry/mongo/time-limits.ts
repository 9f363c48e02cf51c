/**
 * Maximum `maxTimeMS`, in milliseconds, of an operation that a caller waits for. It leaves a second of the default
 * deadline of a call, which is five seconds, for the rest of the call.
 */
export const operationTimeLimitMs = 4_000;
