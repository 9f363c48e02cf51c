import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Lease, Outbox, Publish } from "./outbox.ts";
import { publishBatch } from "./publish-batch.ts";

/** What a {@link Relay} works with. */
export interface RelayDeps {
  readonly outbox: Outbox;
  readonly lease: Lease;
  readonly publish: Publish;
  /** Makes the stream. Called before the first batch, and again after a failure: a server may have lost its storage. */
  readonly prepare: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 500;
// What other replicas commit is found by looking; what this one commits wakes the relay at once.
const lookIntervalMs = 50;
const leaseIntervalMs = 1_000;
const pauseAfterErrorMs = 500;

/** Carries events from the outbox to JetStream, in one replica at a time. */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #heldAt = Number.NEGATIVE_INFINITY;
  #isPrepared = false;
  #wake = new AbortController();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  /** Starts to work in the background. */
  start(): void {
    this.#running = this.#run();
  }

  /** Tells that there may be something to publish. */
  wake(): void {
    this.#wake.abort();
  }

  /** Finishes the batch under way and gives the lease back. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, logger, lease } = this.#deps;
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#step();
      } catch (error) {
        logger.warn({ err: error }, "outbox relay waits");
        this.#heldAt = Number.NEGATIVE_INFINITY;
        this.#isPrepared = false;
        await clock.sleep(pauseAfterErrorMs, this.#stopped.signal);
      }
    }
    await lease
      .release()
      .catch((error: unknown) => logger.warn({ err: error }, "the lease runs out by itself"));
  }

  async #step(): Promise<void> {
    const { clock, lease, outbox, prepare, publish, logger } = this.#deps;
    if (clock.now() - this.#heldAt >= leaseIntervalMs) {
      const askedAt = clock.now();
      if (!(await lease.hold())) {
        await clock.sleep(leaseIntervalMs, this.#stopped.signal);
        return;
      }
      this.#heldAt = askedAt;
    }
    if (!this.#isPrepared) {
      await prepare();
      this.#isPrepared = true;
      logger.info("outbox relay is ready");
    }
    this.#wake = new AbortController();
    const entries = await outbox.oldest(batchMax);
    if (entries.length === 0) {
      await clock.sleep(lookIntervalMs, this.#wake.signal);
      return;
    }
    const { publishedIds, error } = await publishBatch(entries, publish);
    if (publishedIds.length > 0) await outbox.remove(publishedIds);
    if (error !== undefined) throw error;
  }
}
