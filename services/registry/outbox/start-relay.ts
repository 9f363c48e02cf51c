import { Events, type NatsConnection } from "nats";
import { ensureStream, partitionCount, partitionOf, streamName } from "#shared/nats/event-stream.ts";
import { logMissingPermissions } from "#shared/nats/log-missing-permissions.ts";
import type { NatsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { callNats } from "./call-nats.ts";
import { deleteMessages, type MessagePlace, type MessageSelection } from "./delete-messages.ts";
import { keepNatsConnected } from "./keep-nats-connected.ts";
import { maxEventBytes } from "./max-event-bytes.ts";
import type { NatsSubject } from "./nats-checks.ts";
import { publishOrQuarantine, type RefusalHandling } from "./publish-or-quarantine.ts";
import { publishToJetStream } from "./publish-to-jetstream.ts";
import { Relay, type RelayDeps, type RelayLoad } from "./relay.ts";
import {
  publishReplicaNotifications,
  type ReplicaNotifications,
  subscribeReplicaNotifications,
} from "./replica-notifications.ts";

interface StartRelayOptions extends Omit<RefusalHandling, "logger">, Omit<RelayDeps, "publish" | "prepare"> {
  readonly nats: NatsAccess;
  readonly streamReplicas: number;
}

/** A relay that runs in the background. Its notifications reach the relays of other replicas as far as needed. */
export type RunningRelay = ReturnType<typeof startRelay>;

const noLoad: RelayLoad = { partitionCount: 0, inFlightCount: 0, waitingStoreCount: 0 };

function followReconnects(connection: NatsConnection, onReconnect: () => void, logger: Logger): void {
  const follow = async () => {
    for await (const { type } of connection.status()) if (type === Events.Reconnect) onReconnect();
  };
  follow().catch((error: unknown) =>
    logger.error(
      { err: error },
      "cannot watch the NATS connection; events that NATS loses are published again late; restart this replica",
    ),
  );
}

/**
 * Starts the relay as soon as NATS accepts a connection; if that connection is closed permanently, starts a new relay
 * over a new connection. While NATS is unavailable, events wait in the outbox, and the registry serves calls as usual.
 */
export function startRelay(options: StartRelayOptions) {
  const { clock, logger, nats } = options;
  let maxPayload: number | undefined;

  const begin = (connection: NatsConnection) => {
    const prepare = async () => ensureStream(await connection.jetstreamManager(), { replicas: options.streamReplicas });
    const relay = new Relay({
      ...options,
      prepare,
      publish: publishOrQuarantine(publishToJetStream(connection, clock), options),
    });
    const fromOthers: ReplicaNotifications = {
      committed: (partition) => {
        if (relay.relays(partition)) relay.wake();
      },
      settled: (eventIds) => void relay.settle(eventIds),
    };
    subscribeReplicaNotifications(connection, fromOthers, logger);
    logMissingPermissions(connection, logger);
    relay.start();
    followReconnects(connection, () => relay.restart(), logger);
    // `others` notifies the other replicas.
    return { connection, relay, others: publishReplicaNotifications(connection), stop: () => relay.stop() };
  };
  const waiting = "outbox relay is waiting for NATS";
  const { current, stop } = keepNatsConnected({ nats, begin, waiting, clock, logger });

  return {
    /** Signals that a change to a store was committed, after which the outbox may have new events. */
    committed: (storeId: string) => {
      const partition = partitionOf(storeId);
      const { relay, others } = current() ?? {};
      if (relay?.relays(partition)) relay.wake();
      else others?.committed(partition);
    },
    /** Signals that the outcomes of these events are stored. */
    settled: (eventIds: readonly string[]) => {
      const user = current();
      if (user === undefined) return;
      const { relay, others } = user;
      const unknown = relay.settle(eventIds);
      // An event's id does not reveal its partition.
      if (unknown.length > 0 && relay.partitionCount < partitionCount) others.settled(unknown);
    },
    /** The load of this replica's relay. */
    load: () => current()?.relay.load ?? noLoad,
    /**
     * Whether this replica relays the first partition. At most one replica does, and with working relays exactly one:
     * it reports figures that concern all replicas together.
     */
    isFirst: () => current()?.relay.relays(0) ?? false,
    /**
     * Returns the maximum size of an event for the server last connected to, or for NATS's defaults before the first
     * connection.
     */
    maxEventBytes: () => {
      // Unknown while the client reconnects.
      maxPayload = current()?.connection.info?.max_payload ?? maxPayload;
      return maxEventBytes(maxPayload);
    },
    /** Returns the current input of {@link natsChecks}. */
    natsSubject: (): NatsSubject => ({ connection: current()?.connection, streamReplicas: options.streamReplicas }),
    /**
     * Makes one step of {@link deleteMessages} for a store.
     *
     * @throws ServiceError `unavailable` if NATS is unavailable or refuses the call
     */
    deleteMessages: (storeId: string, selection: MessageSelection) =>
      callNats(current()?.connection, (connection) => deleteMessages(connection, placeOf(storeId), selection)),
    stop,
  };
}

function placeOf(storeId: string): MessagePlace {
  return { stream: streamName, subjects: `certificates.${partitionOf(storeId)}.${storeId}.>` };
}
