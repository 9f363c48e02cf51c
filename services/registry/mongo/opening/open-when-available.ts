import { isUnavailable } from "#shared/errors/service-error.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { databaseError } from "../driver/database-error.ts";

interface OpenWhenAvailableDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
}

const pauseMs = 1_000;

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
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  while (!signal.aborted) {
    const opening = open();
    try {
      const database = await Promise.race([opening, aborted]);
      if (database !== undefined) return database;
      opening.then(
        (late) => late.close(),
        () => undefined,
      );
    } catch (error) {
      if (!isUnavailable(databaseError(error))) throw error;
      logger.warn({ reason: reasonOf(error) }, "waiting for the database");
      await clock.sleep(pauseMs, signal);
    }
  }
  return undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
