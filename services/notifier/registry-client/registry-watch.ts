import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { Latch } from "../latch.ts";
import type { HealthCheck } from "./check-registry-health.ts";

/** The dependencies of a {@link RegistryWatch}. */
export interface RegistryWatchOptions {
  readonly health: Pick<HealthCheck, "problem">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Pause between two health checks, in milliseconds. Default: 1,000. */
  readonly intervalMs?: number;
}

/**
 * Watches the availability of the registry with health checks. Controls only when messages are pulled and trigger
 * events are claimed, not whether they are sent: while the registry is unavailable, nothing can be claimed, so pulled
 * messages would only be redelivered.
 */
export class RegistryWatch {
  /** Open while the registry is available; closed until the first successful check. */
  readonly available = new Latch();
  readonly #options: RegistryWatchOptions;
  readonly #stopped = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(options: RegistryWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#watching ??= this.#watch();
  }

  /** Reports a failed call: the registry counts as unavailable until the next successful check. */
  reportFailure(error: unknown): void {
    if (this.available.isOpen) this.#options.logger.warn({ err: error }, "a call to the registry failed");
    this.available.close();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { health, clock, logger, intervalMs = 1_000 } = this.#options;
    let wasServing: boolean | undefined;
    while (!this.#stopped.signal.aborted) {
      const reason = await health.problem();
      const isServing = reason === undefined;
      if (isServing) this.available.open();
      else this.available.close();
      if (isServing !== wasServing) {
        if (isServing) logger.info("the registry is available");
        else logger.warn({ reason }, "waiting for the registry");
      }
      wasServing = isServing;
      await clock.sleep(intervalMs, this.#stopped.signal);
    }
  }
}
