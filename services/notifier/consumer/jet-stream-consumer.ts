import type { NatsConnection } from "nats";
import type { Loop } from "#shared/lifecycle/loop.ts";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { keepConnected } from "#shared/nats/keep-connected.ts";
import type { NatsAccess } from "#shared/nats/nats-access.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";
import { type ConsumeOptions, consumeConnection } from "./consume-connection.ts";
import { type ConsumerBacklog, readBacklog } from "./consumer-backlog.ts";
import { notifierClient } from "./partition-pull.ts";

/** The dependencies and limits of a {@link JetStreamConsumer}. */
type JetStreamConsumerOptions = Omit<ConsumeOptions, "stopped"> & {
  readonly nats: NatsAccess;
};

const flushTimeoutMs = 2_000;

/** Consumes messages until stopped. Connects with exponential backoff; replaces a permanently closed connection. */
export class JetStreamConsumer {
  readonly #options: JetStreamConsumerOptions;
  #connection: NatsConnection | undefined;
  #connecting: Loop | undefined;

  constructor(options: JetStreamConsumerOptions) {
    this.#options = options;
  }

  start(): void {
    const { nats, logger, clock } = this.#options;
    this.#connecting ??= keepConnected({
      connect: async () => {
        this.#connection = await connectNats(nats, notifierClient);
        return this.#connection;
      },
      use: (connection, stopped) => consumeConnection(connection, { ...this.#options, stopped }),
      onFailure: (error) => {
        if (error === undefined) logger.error("the NATS connection was closed; reconnecting");
        else logger.warn({ err: error }, "waiting for NATS");
      },
      clock,
    });
  }

  /** Reads the backlog. @returns undefined before the first connection and after a permanent close @throws NatsError */
  async backlog(): Promise<ConsumerBacklog | undefined> {
    const connection = this.#connection;
    return connection === undefined || connection.isClosed() ? undefined : readBacklog(connection);
  }

  /** Stops pulling and drains the subscriptions. The connection remains open for acknowledgements. */
  async stopPulling(): Promise<void> {
    await this.#connecting?.stop();
  }

  /** Flushes the last acknowledgements and closes the connection. */
  async close(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || connection.isClosed()) return;
    // Fails without a connection to the server; the messages are then delivered again, and their claims settle them.
    const flushed = connection.flush().catch(() => undefined);
    await waitAtMost(flushed, flushTimeoutMs, this.#options.clock);
    await connection.close();
  }
}
