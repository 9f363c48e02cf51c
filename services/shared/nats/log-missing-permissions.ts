import { Events, type NatsConnection } from "nats";
import type { Logger } from "../observe/logger.ts";

// Each event has its own subject.
const loggedMax = 20;

/**
 * Logs, once per subject and until the connection is closed, that the NATS user lacks a permission. The client library
 * reports it nowhere else if the operation expects no reply.
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
      logger.error({ operation, subject }, "the NATS user lacks a permission; OPERATIONS.md lists the required ones");
    }
  };
  follow().catch((error: unknown) =>
    logger.error({ err: error }, "stopped following the permissions of the NATS user"),
  );
}
