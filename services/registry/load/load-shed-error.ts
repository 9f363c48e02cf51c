import { ServiceError } from "#shared/errors/service-error.ts";

/**
 * Why a call was dropped.
 *
 * - `queue_full`: too much work was waiting.
 * - `deadline`: before the work started, its deadline had passed or left too little time for it.
 * - `too_late`: the deadline passed after the work had started.
 * - `caller_left`: the caller disconnected, before or after the work had started.
 */
export type ShedReason = (typeof shedReasons)[number];

/** The values of {@link ShedReason}; also the `reason` label of the metric `registry_load_shed_total`. */
export const shedReasons = ["queue_full", "deadline", "too_late", "caller_left"] as const;

const messages: Readonly<Record<ShedReason, string>> = {
  queue_full: "The service is busy. Try again in a few seconds.",
  deadline: "The service is too busy to respond in time. Try again in a few seconds.",
  too_late: "The service is too busy to respond in time. Try again in a few seconds.",
  caller_left: "The call was cancelled.",
};

/**
 * The error of a call that was dropped, either before its work started or by the work itself. None of the caller's
 * changes was made, so a retry is safe.
 */
export class LoadShedError extends ServiceError {
  readonly reason: ShedReason;

  constructor(reason: ShedReason) {
    super("unavailable", messages[reason], { cause: reason });
    this.name = "LoadShedError";
    this.reason = reason;
  }
}

/** Returns whether an error with this `cause` is a {@link LoadShedError}, or was converted from one. */
export function isShedReason(cause: unknown): cause is ShedReason {
  return shedReasons.some((reason) => reason === cause);
}
