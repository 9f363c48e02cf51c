import { isUnavailable } from "#shared/errors/service-error.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import type { Clock } from "#shared/time/clock.ts";
import { waitUntilAborted } from "#shared/time/wait-at-most.ts";
import { databaseError } from "../driver/database-error.ts";

interface OpenWhenAvailableDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
}

const pauseMs = { first: 1_000, max: 1_000 };

/**
 * Opens the database, and retries indefinitely while it is unavailable: if the registry gave up, its supervisor would
 * only restart it.
 *
 * @returns undefined once the signal aborts; if the attempt in progress still succeeds, its database is closed
 * @throws the error of an attempt that failed for any reason other than an unavailable database
 */
export async function openWhenAvailable<Database extends { close(): Promise<void> }>(
  open: () => Promise<Database>,
  { clock, logger, signal }: OpenWhenAvailableDeps,
): Promise<Database | undefined> {
  const attempt = async () => {
    if (signal.aborted) return undefined;
    const opening = open();
    const database = await waitUntilAborted(opening, signal);
    if (database === undefined)
      opening.then(
        (late) => late.close(),
        () => undefined,
      );
    return database;
  };
  return retryUntil(attempt, {
    isFinal: (error) => !isUnavailable(databaseError(error)),
    onRetry: (error) => logger.warn({ reason: reasonOf(error) }, "waiting for the database"),
    pauseMs,
    clock,
    signal,
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
