import { backOffMs } from "#shared/retry/back-off.ts";

/** Determines when an event is sent again after a failed attempt. */
export interface RetryPolicy {
  /** Delay after the first failed attempt, in milliseconds; doubles with each further failure, up to a maximum. */
  readonly baseMs: number;
  /** Time after the first attempt at which an event is given up, in milliseconds. */
  readonly horizonMs: number;
}

/** The policy of an installation that does not configure it: about 35 attempts in 24 hours. */
export const defaultRetryPolicy: RetryPolicy = { baseMs: 10_000, horizonMs: 86_400_000 };

/** The state of an event after a failed attempt. */
interface FailedDelivery {
  /** Number of attempts, including the failed one. */
  readonly attempts: number;
  readonly firstAttemptAt: Date;
  readonly isTest: boolean;
  /** 0 if there was no reply. */
  readonly httpStatus: number;
}

/** The decision after a failed attempt. */
type FailureDecision =
  | { readonly kind: "retry"; readonly at: Date }
  /** `disables` is why the trigger is disabled as well; undefined if the trigger stays enabled. */
  | { readonly kind: "give_up"; readonly disables: "failing" | "gone" | undefined };

const goneStatus = 410;

/**
 * Decides what follows a failed attempt: another attempt after exponential backoff with jitter, until the horizon has
 * passed. Then the event is given up. If the trigger has not delivered any event since this event's first attempt, the
 * receiver is regarded as broken, and the trigger is disabled as well. The status 410, with which workflow tools end a
 * subscription, disables the trigger at once. A failed test is not repeated and disables nothing.
 *
 * @param lastDeliveredAt when an event of the trigger was last delivered; null if never
 */
export function decideFailure(
  { attempts, firstAttemptAt, isTest, httpStatus }: FailedDelivery,
  lastDeliveredAt: Date | null,
  now: Date,
  { baseMs, horizonMs }: RetryPolicy,
): FailureDecision {
  if (isTest) return { kind: "give_up", disables: undefined };
  if (httpStatus === goneStatus) return { kind: "give_up", disables: "gone" };
  const giveUpAt = firstAttemptAt.getTime() + horizonMs;
  if (now.getTime() >= giveUpAt) {
    const isWorking = lastDeliveredAt !== null && lastDeliveredAt >= firstAttemptAt;
    return { kind: "give_up", disables: isWorking ? undefined : "failing" };
  }
  const delayMs = backOffMs(attempts - 1, baseMs, longestDelayMs({ baseMs, horizonMs }));
  // The last attempt comes at the horizon, not after it.
  return { kind: "retry", at: new Date(Math.min(now.getTime() + delayMs, giveUpAt)) };
}

/** Minimum number of consecutive failures after which a success means that the receiver has recovered. */
export const recoveryFailures = 3;

/**
 * Returns how long a trigger is paused after consecutive failures, in milliseconds. With the default policy, the pauses
 * grow to about a minute, so that a receiver that is down gets few attempts, however many events wait for it.
 *
 * @param failures the number of consecutive failures, at least 1
 */
export function pauseMs(failures: number, { baseMs, horizonMs }: RetryPolicy): number {
  const firstMs = baseMs / 10;
  return backOffMs(failures - 1, firstMs, Math.max(firstMs, Math.min(60_000, horizonMs / 1_440)));
}

// An hour with the default policy.
function longestDelayMs({ baseMs, horizonMs }: RetryPolicy): number {
  return Math.max(baseMs, Math.min(3_600_000, horizonMs / 24));
}
