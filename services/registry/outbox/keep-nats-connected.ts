import type { NatsConnection } from "nats";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { keepConnected } from "#shared/nats/keep-connected.ts";
import type { NatsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { waitUntilAborted } from "#shared/time/wait-at-most.ts";

interface KeepNatsConnectedOptions<User> {
  readonly nats: NatsAccess;
  /** Begins to use a new connection. The user's `stop` is called before the connection is replaced. */
  readonly begin: (connection: NatsConnection) => User;
  /** Log message for a failed attempt to connect, and for an error of the user. */
  readonly waiting: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Connects to NATS, and replaces a connection that is closed permanently.
 *
 * @returns `current`, which returns the user of the connection, if there is one, and `stop`
 */
export function keepNatsConnected<User extends { stop(): Promise<void> }>(options: KeepNatsConnectedOptions<User>) {
  const { nats, begin, waiting, clock, logger } = options;
  let current: User | undefined;
  const loop = keepConnected({
    connect: () => connectNats(nats, "registry"),
    use: async (connection, stopping) => {
      try {
        const user = begin(connection);
        current = user;
        const reason = await waitUntilAborted(connection.closed(), stopping);
        if (!stopping.aborted) logger.error({ err: reason }, "connection to NATS closed; reconnecting");
        await stopOver(connection, () => user.stop());
      } finally {
        current = undefined;
        await connection.close();
      }
    },
    onFailure: (error) => {
      if (error !== undefined) logger.warn({ err: error }, waiting);
    },
    clock,
  });
  return { current: () => current, stop: () => loop.stop() };
}

/**
 * Stops what uses a connection. A connection that is down is closed at once, so that no call waits for its time limit.
 */
export async function stopOver(connection: NatsConnection, stop: () => Promise<void>): Promise<void> {
  // The client knows no server while it reconnects.
  const isDown = connection.info === undefined;
  await Promise.all([stop(), isDown && connection.close()]);
}
