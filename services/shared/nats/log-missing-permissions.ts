import { Events, type NatsConnection } from "nats";
import type { Logger } from "../observe/logger.ts";

// Without a limit, a missing permission to publish would be logged for every event, because each event has a subject of
// its own.
const loggedMax = 20;

/**
 * Logs the permissions that the NATS user lacks, as the server reports them, until the connection is closed: once per
 * operation and subject, and at most 20 in all. If an operation expects no reply, the client library reports a missing
 * permission nowhere else.
 */
export function logMissingPermissions(connection: NatsConnection, logger: Logger): void {
  const follow = async () => {
    const logged = new Set<string>();
    for await (const { type, permissionContext } of connection.status()) {
      if (type !== Events.Error || permissionContext === undefined) continue;
      const { operation, subject } = permissionContext;
      const key = `${operation} ${subject}`;
      if (logged.has(key) || logged.size >= loggedMax) continue;
      logged.add(key);
      logger.error(
        { operation, subject },
        "the NATS user lacks a permission; deploy/operations/nats.md lists the required ones",
      );
    }
  };
  follow().catch((error: unknown) =>
    logger.error(
      { err: error },
      "stopped watching for permission errors; restart this replica to log missing NATS permissions again",
    ),
  );
}
