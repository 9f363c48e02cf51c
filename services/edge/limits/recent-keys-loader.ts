import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ListClient } from "../registry-client/list-client.ts";
import { type KeyGuard, knownKeyTtlMs } from "./key-guard.ts";

interface RecentKeysDeps {
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
 * Returns the loop that loads into the key guard the keys that any replica has recently found valid: first those of the
 * last 25 hours, then once a minute those used in the last few minutes. A new edge therefore knows the merchants' keys
 * before an attacker can use up the lookup tokens of the merchants' networks.
 */
export function recentKeysLoader({ registry, keyGuard, clock, logger }: RecentKeysDeps): Loop {
  let loadedAt: number | undefined;
  // Logs the first result, and then only changes between success and failure.
  let wasLoaded: boolean | undefined;
  const loop: Loop = new Loop({
    clock,
    failurePauseMs,
    async step(stopping) {
      const startedAt = clock.now();
      const withinMs = loadedAt === undefined ? knownKeyTtlMs : startedAt - loadedAt + overlapMs;
      const withinSeconds = Math.ceil(Math.min(withinMs, knownKeyTtlMs) / 1_000);
      let keyCount = 0;
      for await (const keys of registry.recentKeys(withinSeconds, stopping)) {
        keyGuard.addKnown(keys);
        keyCount += keys.length;
      }
      if (!wasLoaded) logger.info({ keyCount }, "loaded recently used keys");
      wasLoaded = true;
      loadedAt = startedAt;
      return intervalMs;
    },
    onFailure(error) {
      if (wasLoaded !== false && !loop.stopping.aborted)
        logger.warn({ err: error }, "cannot load recently used keys; retrying");
      wasLoaded = false;
    },
  });
  return loop;
}
