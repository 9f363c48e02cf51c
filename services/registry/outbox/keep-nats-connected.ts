import type { NatsConnection } from "nats";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { keepConnected } from "#shared/nats/keep-connected.ts";
import type { NatsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { waitUntilAborted } from "#shared/time/wait-at-most.ts";

interface KeepNatsConnectedOptions {
  readonly nats: NatsAccess;
  /** Uses a connection, which is closed afterwards. Must end when the signal aborts. */
  readonly use: (connection: NatsConnection, stopping: AbortSignal) => Promise<void>;
  /** Log message for a failed attempt to connect, and for an error thrown by `use`. */
  readonly waiting: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Connects to NATS, and reconnects whenever `use` ends, until the returned loop is stopped. */
export function keepNatsConnected({ nats, use, waiting, clock, logger }: KeepNatsConnectedOptions) {
  return keepConnected({
    connect: () => connectNats(nats, "registry"),
    use: async (connection, stopping) => {
      try {
        await use(connection, stopping);
      } finally {
        await connection.close();
      }
    },
    onFailure: (error) => {
      if (error !== undefined) logger.warn({ err: error }, waiting);
    },
    clock,
  });
}

/**
 * Stops what uses a connection. A connection that is down is closed at once, so that no call waits for its time limit.
 */
export async function stopOver(connection: NatsConnection, stop: () => Promise<void>): Promise<void> {
  // The client knows no server while it reconnects.
  const isDown = connection.info === undefined;
  await Promise.all([stop(), isDown && connection.close()]);
}

/**
 * Waits until the connection is closed permanently or the signal aborts.
 *
 * @returns why the connection was closed, if NATS reported a reason
 */
export async function untilClosed(connection: NatsConnection, signal: AbortSignal): Promise<Error | undefined> {
  return (await waitUntilAborted(connection.closed(), signal)) ?? undefined;
}
