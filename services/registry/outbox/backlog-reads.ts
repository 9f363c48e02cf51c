import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Outbox } from "./outbox.ts";
import type { WindowLimits } from "./store-window.ts";
import type { BacklogRead, StoreWindows } from "./store-windows.ts";

interface BacklogReadsDeps {
  readonly outbox: Pick<Outbox, "readBacklog">;
  readonly windows: StoreWindows;
  readonly limits: WindowLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Called after each read, successful or not. */
  readonly onRead: () => void;
}

// Leaves database capacity for other work when many stores have long backlogs.
const concurrentReadsMax = 8;
const pauseAfterErrorMs = 500;

/** Refills the stores' windows from the outbox, with a bounded number of concurrent reads. */
export class BacklogReads {
  readonly #deps: BacklogReadsDeps;
  readonly #reads = new Set<Promise<void>>();

  constructor(deps: BacklogReadsDeps) {
    this.#deps = deps;
  }

  /** Starts the reads that are due, up to the concurrency limit. */
  begin(): void {
    for (const backlog of this.#deps.windows.beginReads(concurrentReadsMax - this.#reads.size)) {
      const read = this.#read(backlog).finally(() => {
        this.#reads.delete(read);
        this.#deps.onRead();
      });
      this.#reads.add(read);
    }
  }

  /** Resolves when all running reads have finished. */
  async end(): Promise<void> {
    await Promise.all(this.#reads);
  }

  async #read({ storeId, after, complete, fail }: BacklogRead): Promise<void> {
    const { outbox, limits, clock, logger, signal } = this.#deps;
    try {
      const entries = await outbox.readBacklog(storeId, after, limits.bufferedMax);
      complete(entries, entries.length < limits.bufferedMax);
    } catch (error) {
      // Handled here, because a failed read of one store must not stop the relay for other stores.
      logger.warn({ err: error, storeId }, "cannot read a store's backlog; retrying");
      await clock.sleep(pauseAfterErrorMs, signal);
      fail();
    }
  }
}
