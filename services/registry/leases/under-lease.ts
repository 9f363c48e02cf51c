import type { Clock } from "#shared/time/clock.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";

/** A claimed piece of work. */
export interface ClaimedWork {
  /** Renews the claim for {@link lifeMs}. @returns false if the claim was released, or another replica has it */
  readonly renew: () => Promise<boolean>;
  /** How long the claim lasts after a renewal, in milliseconds. */
  readonly lifeMs: number;
  /** Monotonic clock. */
  readonly steadyClock: Clock;
}

/**
 * Does claimed work, and renews the claim until the work is done.
 *
 * @param run receives a signal that aborts a quarter of the claim's life before another replica can claim the work, or
 *   once one has: the work must then end
 */
export async function underLease<Result>(
  work: ClaimedWork,
  run: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  const done = new AbortController();
  const renewing = keepRenewing(work, done.signal).catch((error: unknown) => lost.abort(error));
  try {
    return await run(lost.signal);
  } finally {
    done.abort();
    await renewing;
  }
}

/** Renews the claim until the work is done. @throws Error once the claim is lost */
async function keepRenewing({ renew, lifeMs, steadyClock }: ClaimedWork, done: AbortSignal): Promise<void> {
  const renewEveryMs = lifeMs / 4;
  // Set to the start of each successful renewal, not its end, so that this replica regards the claim as expired before
  // the database does.
  let renewedAt = steadyClock.now();
  for (;;) {
    await steadyClock.sleep(renewEveryMs, done);
    if (done.aborted) return;
    const requestedAt = steadyClock.now();
    // A failed renewal is repeated. A renewal without an answer is abandoned a quarter of the claim's life before the
    // claim expires.
    const leftMs = Math.max(0, renewedAt + lifeMs - renewEveryMs - requestedAt);
    const isRenewed = await waitAtMost(
      renew().catch(() => undefined),
      leftMs,
      steadyClock,
    );
    if (isRenewed === false) throw new Error("another replica has taken over");
    if (isRenewed) renewedAt = requestedAt;
    else if (steadyClock.now() - renewedAt >= lifeMs - renewEveryMs) throw new Error("the claim has expired");
  }
}
