import { Events, type NatsConnection } from "nats";
import type { Logger } from "#shared/observe/logger.ts";

/** What happens to a connection that is made again by itself. */
export interface ConnectionListener {
  lost(): void;
  back(): void;
}

/** Tells when the connection is lost and when it is back; returns when it is closed for good. */
export async function followConnection(
  connection: NatsConnection,
  listener: ConnectionListener,
  logger: Logger,
): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      logger.warn("the connection to NATS is lost");
      listener.lost();
    } else if (type === Events.Reconnect) {
      logger.info("the connection to NATS is back");
      listener.back();
    }
  }
}
