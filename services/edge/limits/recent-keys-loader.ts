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
const retryMs = 5_000;
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
    this.#loop = new Loop({ clock: deps.clock, step: (stopping) => this.#step(stopping) });
  }

  /** Starts loading; retries a failed attempt after five seconds. */
  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #step(stopping: AbortSignal): Promise<number> {
    const { clock, logger } = this.#deps;
    const startedAt = clock.now();
    const withinMs = this.#loadedAt === undefined ? knownKeyTtlMs : startedAt - this.#loadedAt + overlapMs;
    const { error, keyCount } = await this.#load(Math.ceil(Math.min(withinMs, knownKeyTtlMs) / 1_000), stopping);
    const isLoaded = error === undefined;
    // Logs the first result, and then only changes between success and failure.
    if (isLoaded && !this.#wasLoaded) logger.info({ keyCount }, "loaded recently used keys");
    if (!isLoaded && this.#wasLoaded !== false && !stopping.aborted)
      logger.warn({ err: error }, "cannot load recently used keys; retrying");
    this.#wasLoaded = isLoaded;
    if (isLoaded) this.#loadedAt = startedAt;
    return isLoaded ? intervalMs : retryMs;
  }

  async #load(withinSeconds: number, signal: AbortSignal): Promise<{ keyCount: number; error?: unknown }> {
    let keyCount = 0;
    try {
      for await (const keys of this.#deps.registry.recentKeys(withinSeconds, signal)) {
        this.#deps.keyGuard.addKnown(keys);
        keyCount += keys.length;
      }
      return { keyCount };
    } catch (error) {
      return { keyCount, error };
    }
  }
}
