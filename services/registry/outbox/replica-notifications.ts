import type { NatsConnection } from "nats";

/** Notifications between the registry's replicas, so that the relay need not poll at a short interval. */
export interface ReplicaNotifications {
  /** Signals that a change has inserted events into the outbox. */
  readonly committed: () => void;
  /** Signals that the outcomes of these events are stored. */
  readonly settled: (eventIds: readonly string[]) => void;
}

const committedSubject = "registry.events.committed";
const settledSubject = "registry.events.settled";

/** Subscribes to the notifications of all replicas for the lifetime of the connection. */
export function subscribeReplicaNotifications(connection: NatsConnection, listener: ReplicaNotifications): void {
  connection.subscribe(committedSubject, { callback: () => listener.committed() });
  connection.subscribe(settledSubject, {
    callback: (_error, message) => listener.settled(message.string().split("\n")),
  });
}

/** Publishes to all replicas on a best-effort basis; polling and reconciliation make up for lost notifications. */
export function publishReplicaNotifications(connection: NatsConnection): ReplicaNotifications {
  const publish = (subject: string, text: string) => {
    if (!connection.isClosed()) connection.publish(subject, text);
  };
  return {
    committed: () => publish(committedSubject, ""),
    settled: (eventIds) => publish(settledSubject, eventIds.join("\n")),
  };
}
