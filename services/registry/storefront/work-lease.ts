import type { Clock } from "#shared/time/clock.ts";
import { within } from "#shared/time/within.ts";
import { type WorkClaim, type WorkQueue, workLeaseMs } from "./storefront-storage.ts";

interface WorkLeaseDeps {
  readonly work: Pick<WorkQueue, "renew">;
  /** Monotonic clock. */
  readonly steadyClock: Clock;
}

const renewEveryMs = workLeaseMs / 4;

/**
 * Runs work under a claim, and renews the claim until the work is done.
 *
 * @param run receives a signal that aborts once another worker may have taken over: the work should then end
 */
export async function underLease<Result>(
  deps: WorkLeaseDeps,
  claim: WorkClaim,
  run: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  const done = new AbortController();
  const renewing = keepRenewing(deps, claim, done.signal).catch((error: unknown) => lost.abort(error));
  try {
    return await run(lost.signal);
  } finally {
    done.abort();
    await renewing;
  }
}

/** Renews the claim until the work is done. @throws Error once the claim is lost */
async function keepRenewing({ work, steadyClock }: WorkLeaseDeps, claim: WorkClaim, done: AbortSignal): Promise<void> {
  // Set to the start of each successful renewal, not its end, so that this worker regards the claim as expired before
  // other workers do.
  let renewedAt = steadyClock.now();
  for (;;) {
    await steadyClock.sleep(renewEveryMs, done);
    if (done.aborted) return;
    const requestedAt = steadyClock.now();
    // A failed renewal is repeated. A renewal without an answer is abandoned a quarter of the claim's lifetime before
    // the claim expires.
    const leftMs = Math.max(0, renewedAt + workLeaseMs - renewEveryMs - requestedAt);
    const isRenewed = await within(
      work.renew(claim).catch(() => undefined),
      leftMs,
      steadyClock,
    );
    if (isRenewed === false) throw new Error("another worker has taken over");
    if (isRenewed) renewedAt = requestedAt;
    else if (steadyClock.now() - renewedAt >= workLeaseMs - renewEveryMs) throw new Error("the claim has expired");
  }
}
