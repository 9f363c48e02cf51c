import { ConfigError } from "../config/load-config.ts";
import type { Logger } from "../observe/logger.ts";

/** A running service. */
export interface RunningService {
  /** Stops in order: not ready, stop accepting, drain, flush, close clients. Bounded in time. */
  stop(): Promise<void>;
}

/**
 * Runs a service until SIGTERM or SIGINT, then stops it and exits with 0; a second signal exits at once with 1. A failed
 * start is one log line and exit code 1 (2 for a configuration that cannot be used).
 */
export async function runService(logger: Logger, start: () => Promise<RunningService>): Promise<void> {
  process.on("unhandledRejection", (reason) => {
    logger.fatal({ err: reason }, "unhandled rejection");
    process.exit(1);
  });
  let running: RunningService | undefined;
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, "stopping");
    // Still starting: nothing has been accepted that would have to be finished.
    if (running === undefined) process.exit(0);
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, "stopped with an error");
        process.exit(1);
      },
    );
  };
  // Before the start: as process 1 of a container, Node ignores the signals that it does not handle.
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  try {
    running = await start();
  } catch (error) {
    // Says all by itself: where it was thrown helps nobody who has to correct a variable.
    if (error instanceof ConfigError) {
      logger.fatal(error.message);
      process.exit(2);
    }
    logger.fatal({ err: error }, error instanceof Error ? error.message : "cannot start");
    process.exit(1);
  }
}
