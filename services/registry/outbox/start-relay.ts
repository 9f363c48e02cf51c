import type { NatsConnection } from "nats";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { ensureStream } from "#shared/nats/event-stream.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Lease, Outbox } from "./outbox.ts";
import { publishToJetStream } from "./publish-to-jetstream.ts";
import { Relay } from "./relay.ts";
import {
  publishReplicaNotifications,
  type ReplicaNotifications,
  subscribeReplicaNotifications,
} from "./replica-notifications.ts";
import type { WindowLimits } from "./store-window.ts";
import type { RelayLoad } from "./store-windows.ts";

/** What the relay is started with. */
export interface StartRelayOptions {
  readonly servers: readonly string[];
  readonly streamReplicas: number;
  readonly outbox: Outbox;
  readonly lease: Lease;
  readonly limits: WindowLimits;
  /** For durations: it never goes back. */
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A relay that works in the background, here or in another replica, which it tells what this one did. */
export interface RunningRelay extends ReplicaNotifications {
  /** What this replica's relay has in hand; undefined while another replica's relays, or none. */
  load(): RelayLoad | undefined;
  stop(): Promise<void>;
}

const retryMs = 1_000;

/**
 * Starts the relay as soon as NATS answers, and anew when its connection is closed for good; until then events wait in the
 * outbox, and the registry serves all the same.
 */
export function startRelay(options: StartRelayOptions): RunningRelay {
  const { clock, logger, servers } = options;
  const stopped = new AbortController();
  const whenStopped = new Promise<void>((resolve) => {
    stopped.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  let current: { readonly relay: Relay; readonly others: ReplicaNotifications } | undefined;

  const here: ReplicaNotifications = {
    committed: () => current?.relay.wake(),
    settled: (eventIds) => current?.relay.settle(eventIds),
  };
  const relayOver = async (connection: NatsConnection) => {
    const prepare = async () =>
      ensureStream(await connection.jetstreamManager(), { replicas: options.streamReplicas });
    const relay = new Relay({ ...options, prepare, publish: publishToJetStream(connection) });
    subscribeReplicaNotifications(connection, here);
    current = { relay, others: publishReplicaNotifications(connection) };
    relay.start();
    const reason = await Promise.race([connection.closed(), whenStopped]);
    if (!stopped.signal.aborted)
      logger.error({ err: reason }, "the connection to NATS was closed; connecting anew");
    await relay.stop();
    current = undefined;
  };
  const run = async () => {
    while (!stopped.signal.aborted) {
      let connection: NatsConnection | undefined;
      try {
        connection = await connectNats(servers, "registry");
        await relayOver(connection);
      } catch (error) {
        logger.warn({ err: error }, "outbox relay waits for NATS");
        await clock.sleep(retryMs, stopped.signal);
      } finally {
        await connection?.close();
      }
    }
  };
  const running = run();
  const whoRelays = () => (current?.relay.isLeading ? here : current?.others);

  return {
    committed: () => whoRelays()?.committed(),
    settled: (eventIds) => whoRelays()?.settled(eventIds),
    load: () => current?.relay.load,
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}
