import { ConfigError } from "../config/config-error.ts";
import type { Environment } from "../config/read-environment.ts";
import { createLogger, type Logger } from "../observe/logger.ts";
import { redactSecrets } from "../observe/redact-secrets.ts";
import type { OtelSettings } from "../trace/otel-variables.ts";
import { growHeap } from "./heap-options.ts";
import { startTracing, type Tracing } from "./start-tracing.ts";

/** A service that has been started, whether or not it is ready yet. */
export interface RunningService {
  /**
   * Resolves when the service is ready, or when it is stopped before that; rejects when it can never become ready.
   * Absent if the service is ready from the start.
   */
  readonly started?: Promise<void>;
  /** Reports the service as not ready, finishes the work in progress and closes all connections, in bounded time. */
  stop(): Promise<void>;
}

/**
 * Runs a service as this process: loads its configuration, starts it and stops it on SIGTERM or SIGINT.
 *
 * Exit codes: 0 after an orderly stop; 1 after a failed start or stop, an unhandled rejection or a second signal; 2 for
 * an invalid configuration. A failed start is logged as one line.
 *
 * @param name the service's name in logs and traces
 * @param run starts the service; throws ConfigError for an unusable file that the configuration names
 */
export async function runService<Config extends OtelSettings & { readonly logLevel: string }>(
  name: string,
  loadConfig: (env: Environment) => Config,
  run: (config: Config, logger: Logger) => Promise<RunningService>,
): Promise<void> {
  growHeap();
  const logger = createLogger(name);
  process.on("unhandledRejection", (reason) => {
    logger.fatal({ err: reason }, "unhandled rejection");
    process.exit(1);
  });
  let running: RunningService | undefined;
  let tracing: Tracing | undefined;
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info({ signal }, "stopping");
    // The service has not started, so there is nothing to drain.
    if (running === undefined) process.exit(0);
    const stop = async () => {
      await running?.stop();
      await tracing?.stop();
    };
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, "failed to stop");
        process.exit(1);
      },
    );
  };
  // Registered before the start, because process 1 of a container ignores signals for which it has no handler.
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  try {
    const config = loadConfig(process.env);
    logger.level = config.logLevel;
    // Tracing starts first: a MongoDB client is traced only if tracing is on when the client is created.
    tracing = await startTracing(config, name, logger);
    running = await run(config, logger);
    await running.started;
  } catch (error) {
    // A stack trace does not help to correct a variable.
    if (error instanceof ConfigError) {
      logger.fatal(error.message);
      process.exit(2);
    }
    logger.fatal({ err: error }, error instanceof Error ? redactSecrets(error.message) : "failed to start");
    process.exit(1);
  }
}
