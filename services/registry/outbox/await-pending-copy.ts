import { NatsError } from "nats";
import { retryUntil } from "#shared/retry/retry-until.ts";
import type { Clock } from "#shared/time/clock.ts";

// JSStreamDuplicateMessageConflict and JSStreamExpectedLastSeqPerSubjectNotReady of nats-server: the leader has
// proposed an earlier copy of the message to the other members, and does not know yet whether they store it.
const pendingCodes: readonly unknown[] = [10_158, 10_164];
const pauseMs = { first: 20, max: 500 };
const waitMaxMs = 5_000;

/** Returns whether JetStream refused a message because an earlier copy of it is still being stored. */
export function isCopyPending(error: unknown): boolean {
  return error instanceof NatsError && pendingCodes.includes(error.api_error?.err_code);
}

/**
 * Publishes a message; publishes it again while an earlier copy of it is still being stored, with exponential backoff,
 * for at most five seconds.
 *
 * @param publish an idempotent publish: JetStream drops or refuses a second copy
 * @param clock a monotonic clock
 * @throws the error of the last attempt; after five seconds, an error that {@link isCopyPending} accepts
 */
export function awaitPendingCopy<T>(publish: () => Promise<T>, clock: Clock): Promise<T> {
  const waitUntil = clock.now() + waitMaxMs;
  const isFinal = (error: unknown) => !isCopyPending(error) || clock.now() >= waitUntil;
  return retryUntil(publish, { isFinal, pauseMs, clock });
}
