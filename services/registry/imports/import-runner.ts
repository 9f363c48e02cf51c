import { isUnavailable } from "#shared/errors/service-error.ts";
import { LeasedAttempts } from "#shared/lifecycle/leased-attempts.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { LeaseKeeper } from "../leases/lease-keeper.ts";
import { ImportLeft, type RunImportDeps, runImport } from "./run-import.ts";

interface ImportRunnerDeps extends Omit<RunImportDeps, "clock" | "signal" | "lease"> {
  readonly logger: Logger;
  /** Monotonic clock. Default {@link steadyClock}. */
  readonly clock?: Clock;
}

/** Maximum number of imports that a replica runs at a time. */
export const importsAtOnceMax = 2;

// Interval at which a runner below its limit looks for imports started or abandoned by other replicas; `wake` announces
// imports started by the runner's own replica.
const pollMs = 5_000;
// Pause after an error, for example while the database is unavailable. With the age at which a lease is renewed and the
// time for which a transaction is retried, shorter than a lease.
const retryPauseMs = 5_000;
const releasePauseMs = { first: 1_000, max: 1_000 };

/**
 * Runs imports in the background. Each replica's runner runs the imports that it claims, at most two at a time; when it
 * stops, it releases those in progress. The imports of one store normally run one after another, even if several
 * replicas claim them.
 */
export function createImportRunner({ clock = steadyClock, ...deps }: ImportRunnerDeps) {
  const { queue, logger } = deps;
  return new LeasedAttempts({
    claim: async () => {
      const lease = new LeaseKeeper(queue, clock);
      const claim = await lease.claim();
      return claim === undefined ? [] : [{ claim, lease }];
    },
    attempt: async ({ claim, lease }, signal) => {
      const log = logger.child({ importId: claim.id, storeId: claim.storeId });
      try {
        await runImport({ ...deps, clock, signal, lease }, claim);
        log.info({ state: claim.state }, "import done");
      } catch (err) {
        if (!(err instanceof ImportLeft)) {
          log.error({ err }, "import failed");
          await clock.sleep(retryPauseMs, signal);
        }
        // As soon as the database is available: a claim whose lease has expired counts as the death of this replica.
        // Does nothing for a finished import. After another error, the lease expires.
        const policy = { isFinal: (error: unknown) => !isUnavailable(error), pauseMs: releasePauseMs, clock, signal };
        await retryUntil(() => queue.release(claim), policy).catch((error: unknown) =>
          log.warn({ err: error }, "cannot release import"),
        );
      }
    },
    onFailure: (err) => logger.warn({ err }, "cannot look for imports; retrying"),
    failurePauseMs: { first: retryPauseMs, max: retryPauseMs },
    concurrencyMax: importsAtOnceMax,
    pollMs,
    clock,
  });
}
