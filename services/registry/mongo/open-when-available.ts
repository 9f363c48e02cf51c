import { ServiceError } from "#shared/errors/service-error.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { databaseError } from "./database-error.ts";

/** Dependencies of {@link openWhenAvailable}. */
export interface OpenWhenAvailableDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
}

const pauseMs = 1_000;

/**
 * Opens the database, and tries again without end while it is unavailable: a registry that gave up would only be
 * started again by its supervisor.
 *
 * @returns undefined once the signal aborts; a database that is opened later is closed
 * @throws the error of an attempt when it has another reason than an unavailable database
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
      if (!isUnavailable(error)) throw error;
      logger.warn({ reason: reasonOf(error) }, "waiting for the database");
      await clock.sleep(pauseMs, signal);
    }
  }
  return undefined;
}

function isUnavailable(error: unknown): boolean {
  const converted = databaseError(error);
  return converted instanceof ServiceError && converted.code === "unavailable";
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
