import type { NatsConnection } from "nats";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { backOffMs } from "./back-off.ts";
import { type ConsumeOptions, consumeConnection } from "./consume-connection.ts";

/** How messages are got. */
export type JetStreamConsumerOptions = Omit<ConsumeOptions, "stopped"> & {
  /** `nats://host:port`, one or several. */
  readonly servers: readonly string[];
};

const flushLimitMs = 2_000;

/** Gets messages for as long as it is not stopped: waits for NATS at first, and connects anew should it be given up. */
export class JetStreamConsumer {
  readonly #options: JetStreamConsumerOptions;
  readonly #stopped = new AbortController();
  #connection: NatsConnection | undefined;
  #running: Promise<void> | undefined;

  constructor(options: JetStreamConsumerOptions) {
    this.#options = options;
  }

  /** Begins in the background. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends pulling and takes what was on its way. The connection stays, for the answers to messages in hand. */
  async stopPulling(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  /** Sends off the last answers and closes the connection. */
  async close(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || connection.isClosed()) return;
    await Promise.race([connection.flush(), this.#options.clock.sleep(flushLimitMs)]);
    await connection.close();
  }

  async #run(): Promise<void> {
    const { logger, clock } = this.#options;
    const stopped = this.#stopped.signal;
    let failures = 0;
    while (!stopped.aborted) {
      try {
        this.#connection = await connectNats(this.#options.servers, "notifier");
        failures = 0;
        await consumeConnection(this.#connection, { ...this.#options, stopped });
        if (!stopped.aborted) logger.error("the connection to NATS was closed; connecting anew");
      } catch (error) {
        logger.warn({ err: error }, "waiting for NATS");
        await clock.sleep(backOffMs(failures++, 250, 5_000), stopped);
      }
    }
  }
}
