import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { Gate } from "../gate.ts";
import type { HealthCheck } from "./check-registry-health.ts";

/** What the watch needs. */
export interface RegistryWatchOptions {
  readonly health: Pick<HealthCheck, "isServing">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Between two checks. Default 1,000. */
  readonly intervalMs?: number;
}

/**
 * Knows whether the registry answers. It decides when messages are pulled, never whether one is sent: without the
 * registry nothing could be claimed, so pulling would only move messages to and fro.
 */
export class RegistryWatch {
  /** Open while the registry answers; closed until the first check has succeeded. */
  readonly available = new Gate();
  readonly #options: RegistryWatchOptions;
  readonly #stopped = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(options: RegistryWatchOptions) {
    this.#options = options;
  }

  /** Begins to check. */
  start(): void {
    this.#watching ??= this.#watch();
  }

  /** A call to the registry failed: it counts as away until the next check says otherwise. */
  reportFailure(error: unknown): void {
    if (this.available.isOpen) this.#options.logger.warn({ err: error }, "a call to the registry failed");
    this.available.close();
  }

  /** Ends checking. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { health, clock, logger, intervalMs = 1_000 } = this.#options;
    let wasServing: boolean | undefined;
    while (!this.#stopped.signal.aborted) {
      const isServing = await health.isServing();
      if (isServing) this.available.open();
      else this.available.close();
      if (isServing !== wasServing) {
        if (isServing) logger.info("the registry answers");
        else logger.warn("waiting for the registry");
      }
      wasServing = isServing;
      await clock.sleep(intervalMs, this.#stopped.signal);
    }
  }
}
