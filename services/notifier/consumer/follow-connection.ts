import { Events, type NatsConnection } from "nats";
import type { Logger } from "#shared/observe/logger.ts";

/** Callbacks for the state of a connection that reconnects automatically. */
export interface ConnectionListener {
  disconnected(): void;
  reconnected(): void;
}

/** Notifies the listener of disconnects and reconnects. Returns once the connection is closed permanently. */
export async function followConnection(
  connection: NatsConnection,
  listener: ConnectionListener,
  logger: Logger,
): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      logger.warn("disconnected from NATS");
      listener.disconnected();
    } else if (type === Events.Reconnect) {
      logger.info("reconnected to NATS");
      listener.reconnected();
    }
  }
}
