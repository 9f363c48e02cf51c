import type { NatsConnection, NatsError } from "nats";
import type { Logger } from "#shared/observe/logger.ts";

/** Notifications between the registry's replicas, so that their relays need not poll at a short interval. */
export interface ReplicaNotifications {
  /** Signals that a change to a store of this partition was committed, after which the outbox may have new events. */
  readonly committed: (partition: number) => void;
  /** Signals that the outcomes of these events are stored. */
  readonly settled: (eventIds: readonly string[]) => void;
}

const committedSubject = "registry.events.committed";
const settledSubject = "registry.events.settled";

/**
 * Subscribes to the notifications of all replicas for the lifetime of the connection. If the NATS user may not
 * subscribe, polling and reconciliation replace the notifications.
 */
export function subscribeReplicaNotifications(
  connection: NatsConnection,
  listener: ReplicaNotifications,
  logger: Logger,
): void {
  const subscribe = (subject: string, onText: (text: string) => void) => {
    connection.subscribe(subject, {
      // With an error there is no message, although the type of the parameter says otherwise.
      callback: (error: NatsError | null, message) => {
        if (error === null) onText(message.string());
        else
          logger.error({ err: error, subject }, "cannot subscribe to other replicas' notifications; polling instead");
      },
    });
  };
  subscribe(committedSubject, (text) => listener.committed(Number(text)));
  subscribe(settledSubject, (text) => listener.settled(text.split("\n")));
}

/** Returns functions that notify all replicas. Notifications can be lost; polling and reconciliation replace them. */
export function publishReplicaNotifications(connection: NatsConnection): ReplicaNotifications {
  const publish = (subject: string, text: string) => {
    if (!connection.isClosed()) connection.publish(subject, text);
  };
  return {
    committed: (partition) => publish(committedSubject, String(partition)),
    settled: (eventIds) => publish(settledSubject, eventIds.join("\n")),
  };
}
