import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ListClient } from "../registry-client/list-client.ts";
import { type KeyGuard, knownKeyTtlMs } from "./key-guard.ts";

interface RecentKeysLoaderDeps {
  readonly registry: Pick<ListClient, "recentKeys">;
  readonly keyGuard: Pick<KeyGuard, "addKnown">;
  /** A monotonic clock. */
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 60_000;
// With jitter, so that the edges do not ask a registry that has just started at the same time.
const failurePauseMs = { first: 5_000, max: 10_000 };
// The registry records the use of a key up to two minutes late.
const overlapMs = 300_000;

/**
 * Loads into the key guard the keys that any replica has recently found valid: at startup the keys used in the last 25
 * hours, then once a minute those used in the last few minutes. A new edge therefore knows the merchants' keys before
 * an attacker can use up the lookup tokens of the merchants' networks.
 */
export class RecentKeysLoader {
  readonly #deps: RecentKeysLoaderDeps;
  readonly #loop: Loop;
  #loadedAt: number | undefined;
  #wasLoaded: boolean | undefined;

  constructor(deps: RecentKeysLoaderDeps) {
    this.#deps = deps;
    this.#loop = new Loop({
      clock: deps.clock,
      step: (stopping) => this.#load(stopping),
      onFailure: (error) => this.#noteFailure(error),
      failurePauseMs,
    });
  }

  /** Starts loading; retries failed attempts with exponential backoff. */
  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #load(stopping: AbortSignal): Promise<number> {
    const { registry, keyGuard, clock, logger } = this.#deps;
    const startedAt = clock.now();
    const withinMs = this.#loadedAt === undefined ? knownKeyTtlMs : startedAt - this.#loadedAt + overlapMs;
    const withinSeconds = Math.ceil(Math.min(withinMs, knownKeyTtlMs) / 1_000);
    let keyCount = 0;
    for await (const keys of registry.recentKeys(withinSeconds, stopping)) {
      keyGuard.addKnown(keys);
      keyCount += keys.length;
    }
    // Logs the first result, and then only changes between success and failure.
    if (!this.#wasLoaded) logger.info({ keyCount }, "loaded recently used keys");
    this.#wasLoaded = true;
    this.#loadedAt = startedAt;
    return intervalMs;
  }

  #noteFailure(error: unknown): void {
    if (this.#wasLoaded !== false && !this.#loop.stopping.aborted)
      this.#deps.logger.warn({ err: error }, "cannot load recently used keys; retrying");
    this.#wasLoaded = false;
  }
}
