import { isUnavailable } from "#shared/errors/service-error.ts";
import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { LeaseKeeper } from "../leases/lease-keeper.ts";
import type { ImportClaim } from "./imports.ts";
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
const pollEveryMs = 5_000;
// Pause after an error, for example while the database is unavailable. With the age at which a lease is renewed and the
// time for which a transaction is retried, shorter than a lease.
const retryPauseMs = 5_000;
const releasePauseMs = { first: 1_000, max: 1_000 };

/**
 * Runs imports in the background. Each replica's runner runs the imports that it claims, at most two at a time. The
 * imports of one store normally run one after another, even if several replicas claim them.
 */
export class ImportRunner {
  readonly #deps: ImportRunnerDeps;
  readonly #clock: Clock;
  readonly #loop: Loop;
  readonly #running = new Set<Promise<void>>();

  constructor(deps: ImportRunnerDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? steadyClock;
    this.#loop = new Loop({ clock: this.#clock, step: () => this.#startImports() });
  }

  /** Starts looking for imports. */
  start(): void {
    this.#loop.start();
  }

  /** Ends the pause before the next search for imports. */
  wake(): void {
    this.#loop.wake();
  }

  /** Releases the imports in progress and stops. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#running);
  }

  async #startImports(): Promise<number> {
    while (this.#running.size < importsAtOnceMax && (await this.#startNext()));
    return pollEveryMs;
  }

  async #startNext(): Promise<boolean> {
    const { queue, logger } = this.#deps;
    if (this.#loop.stopping.aborted) return false;
    try {
      const lease = new LeaseKeeper(queue, this.#clock);
      const claim = await lease.claim();
      if (claim === undefined) return false;
      const run = this.#runOne(claim, lease).finally(() => {
        this.#running.delete(run);
        this.wake();
      });
      this.#running.add(run);
      return true;
    } catch (err) {
      logger.warn({ err }, "cannot look for imports; retrying");
      return false;
    }
  }

  async #runOne(claim: ImportClaim, lease: LeaseKeeper): Promise<void> {
    const { logger } = this.#deps;
    const log = logger.child({ importId: claim.id, storeId: claim.storeId });
    try {
      await runImport({ ...this.#deps, clock: this.#clock, signal: this.#loop.stopping, lease }, claim);
      log.info({ state: claim.state }, "import done");
    } catch (err) {
      if (!(err instanceof ImportLeft)) {
        log.error({ err }, "import failed");
        await this.#clock.sleep(retryPauseMs, this.#loop.stopping);
      }
      await this.#release(claim, log);
    }
  }

  /**
   * Releases an import, as soon as the database is available: a claim whose lease has expired counts as the death of
   * this replica. Does nothing for a finished import. After another error, the lease expires.
   */
  async #release(claim: ImportClaim, log: Logger): Promise<void> {
    const isFinal = (error: unknown) => !isUnavailable(error);
    const policy = { isFinal, pauseMs: releasePauseMs, clock: this.#clock, signal: this.#loop.stopping };
    try {
      await retryUntil(() => this.#deps.queue.release(claim), policy);
    } catch (err) {
      log.warn({ err }, "cannot release import");
    }
  }
}
