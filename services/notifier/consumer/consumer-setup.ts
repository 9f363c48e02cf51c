import type { NatsConnection } from "nats";
import { ensureConsumers } from "#shared/nats/event-stream.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Latch } from "../latch.ts";

/** The dependencies of a {@link ConsumerSetup}. */
export interface ConsumerSetupOptions {
  /** Opened and closed by the setup: open while the connection is up and the consumers are known to exist. */
  readonly consumersReady: Latch;
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stopped: AbortSignal;
}

/** Whether pulls can use the connection; `stopped` is final. */
type ConnectionState = "up" | "down" | "stopped";

/**
 * Creates the missing consumers of the event stream, updates outdated ones, and keeps `consumersReady` up to date.
 * Initially, the connection counts as up, and it is unknown whether the consumers exist.
 */
export class ConsumerSetup {
  readonly #connection: NatsConnection;
  readonly #options: ConsumerSetupOptions;
  #connectionState: ConnectionState = "up";
  #consumers: "unknown" | "exist" = "unknown";
  #creating: Promise<void> | undefined;

  constructor(connection: NatsConnection, options: ConsumerSetupOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /**
   * Creates missing consumers and updates outdated ones. All sixteen pull loops may call this at the same time; the
   * calls share one run.
   */
  create(): Promise<void> {
    this.#creating ??= this.#create().finally(() => {
      this.#creating = undefined;
    });
    return this.#creating;
  }

  /**
   * Records a change of the connection's state. A reconnect does not check the consumers, because they cannot be
   * checked while NATS elects their leaders; if the server has lost them, the next pull detects the loss.
   */
  connectionBecame(state: ConnectionState): void {
    if (this.#connectionState !== "stopped") this.#connectionState = state;
    this.#update();
  }

  async #create(): Promise<void> {
    this.#consumers = "unknown";
    this.#update();
    if (await this.#createMissing()) this.#consumers = "exist";
    this.#update();
  }

  #update(): void {
    const { consumersReady } = this.#options;
    if (this.#connectionState === "up" && this.#consumers === "exist") consumersReady.open();
    else consumersReady.close();
  }

  /**
   * Creates missing consumers and updates outdated ones. Retries after a failure: the registry may not have created the
   * stream yet, or NATS may not have elected the stream's leader.
   *
   * @returns false if `stopped` aborted or the connection was closed before the consumers were ready
   */
  #createMissing(): Promise<boolean> {
    const { clock, logger, stopped: signal } = this.#options;
    const create = async () => {
      if (signal.aborted || this.#connection.isClosed()) return false;
      await ensureConsumers(await this.#connection.jetstreamManager());
      logger.info("the consumers of the event stream are ready");
      return true;
    };
    const onRetry = (err: unknown) =>
      logger.warn({ err }, "waiting for the event stream and its consumers; the registry creates the stream");
    // Rejects only if a call fails after `stopped` has aborted.
    return retryUntil(create, { pauseMs: { first: 250, max: 5_000 }, clock, onRetry, signal }).catch(() => false);
  }
}
