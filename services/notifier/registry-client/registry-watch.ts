import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { Latch } from "../latch.ts";
import type { HealthCheck } from "./check-registry-health.ts";

/** The dependencies of a {@link RegistryWatch}. */
interface RegistryWatchOptions {
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
  readonly #loop: Loop;
  #wasServing: boolean | undefined;

  constructor(options: RegistryWatchOptions) {
    this.#options = options;
    this.#loop = new Loop({ clock: options.clock, step: () => this.#check() });
  }

  start(): void {
    this.#loop.start();
  }

  /** Reports a failed call: the registry counts as unavailable until the next successful check. */
  reportFailure(error: unknown): void {
    if (this.available.isOpen) this.#options.logger.warn({ err: error }, "a call to the registry failed");
    this.available.close();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #check(): Promise<number> {
    const { health, logger, intervalMs = 1_000 } = this.#options;
    const reason = await health.problem();
    const isServing = reason === undefined;
    if (isServing) this.available.open();
    else this.available.close();
    if (isServing !== this.#wasServing) {
      if (isServing) logger.info("the registry is available");
      else logger.warn({ reason }, "waiting for the registry");
    }
    this.#wasServing = isServing;
    return intervalMs;
  }
}
