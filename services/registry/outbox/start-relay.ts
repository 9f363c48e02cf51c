import type { NatsConnection } from "nats";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { ensureStream } from "#shared/nats/event-stream.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Lease, Outbox } from "./outbox.ts";
import { publishToJetStream } from "./publish-to-jetstream.ts";
import { Relay } from "./relay.ts";

/** What the relay is started with. */
export interface StartRelayOptions {
  readonly servers: readonly string[];
  readonly streamReplicas: number;
  readonly outbox: Outbox;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A relay that works in the background. */
export interface RunningRelay {
  wake(): void;
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
  let connection: NatsConnection | undefined;

  const start = async () => {
    while (!stopped.signal.aborted) {
      try {
        const connected = await connectNats(options.servers, "registry");
        connection = connected;
        const prepare = async () =>
          ensureStream(await connected.jetstreamManager(), { replicas: options.streamReplicas });
        relay = new Relay({ ...options, prepare, publish: publishToJetStream(connected) });
        relay.start();
        return;
      } catch (error) {
        logger.warn({ err: error }, "outbox relay waits for NATS");
        await clock.sleep(retryMs, stopped.signal);
      }
    }
  };
  const starting = start();

  return {
    wake: () => relay?.wake(),
    stop: async () => {
      stopped.abort();
      await starting;
      await relay?.stop();
      await connection?.close();
    },
  };
}
