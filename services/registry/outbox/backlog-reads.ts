import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Outbox } from "./outbox.ts";
import type { WindowLimits } from "./store-window.ts";
import type { BacklogRead, StoreWindows } from "./store-windows.ts";

/** What {@link BacklogReads} work with. */
export interface BacklogReadsDeps {
  readonly outbox: Pick<Outbox, "ofStore">;
  readonly windows: StoreWindows;
  readonly limits: WindowLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stopped: AbortSignal;
  /** Told when something was read. */
  readonly onRead: () => void;
}

// So that stores with long backlogs leave the database to the others.
const readingMax = 8;
const pauseAfterErrorMs = 500;

/** Reads what the stores' windows want from the outbox, a few stores at a time. */
export class BacklogReads {
  readonly #deps: BacklogReadsDeps;
  readonly #reading = new Set<Promise<void>>();

  constructor(deps: BacklogReadsDeps) {
    this.#deps = deps;
  }

  /** Begins to read what is wanted, as far as there is room. */
  begin(): void {
    for (const backlog of this.#deps.windows.beginReads(readingMax - this.#reading.size)) {
      const read = this.#read(backlog).finally(() => {
        this.#reading.delete(read);
        this.#deps.onRead();
      });
      this.#reading.add(read);
    }
  }

  /** Resolves when nothing is being read. */
  async end(): Promise<void> {
    await Promise.all(this.#reading);
  }

  async #read({ storeId, after, add, giveUp }: BacklogRead): Promise<void> {
    const { outbox, limits, clock, logger, stopped } = this.#deps;
    try {
      const entries = await outbox.ofStore(storeId, after, limits.held);
      add(entries, entries.length < limits.held);
    } catch (error) {
      // One store's reason to wait is none for the others.
      logger.warn({ err: error, store: storeId }, "a store's backlog cannot be read yet");
      await clock.sleep(pauseAfterErrorMs, stopped);
      giveUp();
    }
  }
}
