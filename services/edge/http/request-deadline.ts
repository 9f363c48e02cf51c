import { ServiceError } from "#shared/errors/service-error.ts";
import { systemClock } from "#shared/time/clock.ts";
import { remainingTime } from "#shared/time/remaining-time.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";

/** The deadline of a request, and a signal that aborts when its client disconnects. */
export interface RequestDeadline {
  /** Latest time for the response, in milliseconds on the clock of `performance.now()`. */
  readonly deadline: number;
  /** Aborts when the client closes the connection before it has received the whole response. */
  readonly clientSignal: AbortSignal;
}

/**
 * Returns the time left for a request, in whole milliseconds.
 *
 * @throws ServiceError `unavailable` when no time is left or the client has disconnected
 */
export function remainingMs({ deadline, clientSignal }: RequestDeadline): number {
  const remaining = remainingTime(deadline, performance.now(), clientSignal);
  if (typeof remaining === "string") throw tooLate();
  return remaining;
}

/**
 * Waits for the promise, which must never reject, until the request's deadline at the latest.
 *
 * @throws ServiceError `unavailable` when the deadline passes or the client disconnects before the promise resolves
 */
export async function untilDeadline(request: RequestDeadline, promise: Promise<void>): Promise<void> {
  const inTime = promise.then(() => true);
  if (!(await waitAtMost(inTime, remainingMs(request), systemClock, request.clientSignal))) throw tooLate();
}

function tooLate(): ServiceError {
  return new ServiceError("unavailable", "The service is too busy to respond in time. Try again in a few seconds.");
}
