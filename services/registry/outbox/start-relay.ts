import type { NatsConnection } from "nats";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { ensureStream } from "#shared/nats/event-stream.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Lease, Outbox } from "./outbox.ts";
import { publishToJetStream } from "./publish-to-jetstream.ts";
import { Relay } from "./relay.ts";
import { type Hints, listenToHints, tellHints } from "./replica-hints.ts";
import type { WindowLimits } from "./store-window.ts";
import type { RelayLoad } from "./store-windows.ts";

/** What the relay is started with. */
export interface StartRelayOptions {
  readonly servers: readonly string[];
  readonly streamReplicas: number;
  readonly outbox: Outbox;
  readonly lease: Lease;
  readonly limits: WindowLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A relay that works in the background, here or in another replica, which it tells what this one did. */
export interface RunningRelay extends Hints {
  /** What this replica's relay has in hand; undefined while another replica's relays, or none. */
  load(): RelayLoad | undefined;
  stop(): Promise<void>;
}

const retryMs = 1_000;

/**
 * Starts the relay as soon as NATS answers; until then events wait in the outbox, and the registry serves all the same.
 */
export function startRelay(options: StartRelayOptions): RunningRelay {
  const { clock, logger } = options;
  const stopped = new AbortController();
  let relay: Relay | undefined;
  let others: Hints | undefined;
  let connection: NatsConnection | undefined;

  const here: Hints = {
    committed: () => relay?.wake(),
    settled: (eventIds) => relay?.settle(eventIds),
  };
  const start = async () => {
    while (!stopped.signal.aborted) {
      try {
        const connected = await connectNats(options.servers, "registry");
        connection = connected;
        const prepare = async () =>
          ensureStream(await connected.jetstreamManager(), { replicas: options.streamReplicas });
        relay = new Relay({ ...options, prepare, publish: publishToJetStream(connected) });
        listenToHints(connected, here);
        others = tellHints(connected);
        relay.start();
        return;
      } catch (error) {
        logger.warn({ err: error }, "outbox relay waits for NATS");
        await clock.sleep(retryMs, stopped.signal);
      }
    }
  };
  const starting = start();
  const whoRelays = () => (relay?.isLeading ? here : others);

  return {
    committed: () => whoRelays()?.committed(),
    settled: (eventIds) => whoRelays()?.settled(eventIds),
    load: () => relay?.load,
    stop: async () => {
      stopped.abort();
      await starting;
      await relay?.stop();
      await connection?.close();
    },
  };
}
