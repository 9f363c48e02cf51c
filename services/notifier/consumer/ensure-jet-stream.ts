import type { NatsConnection } from "nats";
import { ensureConsumers, ensureStream } from "#shared/nats/event-stream.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { backOffMs } from "./back-off.ts";

/** The dependencies of {@link ensureJetStream}. */
export interface EnsureJetStreamOptions {
  readonly connection: NatsConnection;
  /** Replicas of the stream. */
  readonly replicas: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stopped: AbortSignal;
}

/** Creates the stream and its consumers if they are missing. Retries until it succeeds or is stopped. */
export async function ensureJetStream(options: EnsureJetStreamOptions): Promise<void> {
  const { connection, replicas, clock, logger, stopped } = options;
  for (let failures = 0; !stopped.aborted && !connection.isClosed(); failures++) {
    try {
      const manager = await connection.jetstreamManager();
      await ensureStream(manager, { replicas });
      await ensureConsumers(manager);
      logger.info("the stream and its consumers are ready");
      return;
    } catch (error) {
      logger.warn({ err: error }, "waiting for JetStream");
      await clock.sleep(backOffMs(failures, 250, 5_000), stopped);
    }
  }
}
