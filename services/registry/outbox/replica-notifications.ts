import type { NatsConnection } from "nats";

/** What replicas of the registry tell each other, so that the one that relays need not look all the time. */
export interface ReplicaNotifications {
  /** Events are in the outbox. */
  readonly committed: () => void;
  /** Outcomes of events are recorded. */
  readonly settled: (eventIds: readonly string[]) => void;
}

const committedSubject = "registry.events.committed";
const settledSubject = "registry.events.settled";

/** Listens to the other replicas for as long as the connection lives. */
export function subscribeReplicaNotifications(connection: NatsConnection, hear: ReplicaNotifications): void {
  connection.subscribe(committedSubject, { callback: () => hear.committed() });
  connection.subscribe(settledSubject, {
    callback: (_error, message) => hear.settled(message.string().split("\n")),
  });
}

/** Tells the other replicas, on a best effort: what gets lost is found by looking. */
export function publishReplicaNotifications(connection: NatsConnection): ReplicaNotifications {
  const tell = (subject: string, text: string) => {
    if (!connection.isClosed()) connection.publish(subject, text);
  };
  return {
    committed: () => tell(committedSubject, ""),
    settled: (eventIds) => tell(settledSubject, eventIds.join("\n")),
  };
}
