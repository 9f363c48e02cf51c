import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Outbox } from "./outbox.ts";
import type { StoreWindows } from "./store-windows.ts";

/** What a {@link OutboxReconciler} works with. */
export interface OutboxReconcilerDeps {
  readonly outbox: Pick<Outbox, "unsettled" | "stores">;
  readonly windows: StoreWindows;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told when a search is over. */
  readonly onSearched: () => void;
}

// Replicas tell each other what they settle; these are for what they could not tell.
const intervalMs = 500;
const askedMax = 2_000;
const storesIntervalMs = 30_000;
// Far longer than events wait for their turn with the notifier; what is still in the stream is not stored twice.
const lostAfterMs = 5 * 60_000;

/** Finds what was settled, or lost, or left behind, without anybody telling. */
export class OutboxReconciler {
  readonly #deps: OutboxReconcilerDeps;
  #searching: Promise<void> | undefined;
  #searchedAt = Number.NEGATIVE_INFINITY;
  #storesReadAt = Number.NEGATIVE_INFINITY;

  constructor(deps: OutboxReconcilerDeps) {
    this.#deps = deps;
  }

  /** The stores that have entries were read just now. */
  noteStoresRead(): void {
    this.#storesReadAt = this.#deps.clock.now();
  }

  /** Begins to search when it is time. */
  begin(): void {
    const { clock, logger, onSearched } = this.#deps;
    if (this.#searching !== undefined || clock.now() - this.#searchedAt < intervalMs) return;
    this.#searchedAt = clock.now();
    this.#searching = this.#search()
      .catch((error: unknown) => logger.warn({ err: error }, "settled events cannot be looked for yet"))
      .finally(() => {
        this.#searching = undefined;
        onSearched();
      });
  }

  /** Resolves when nothing is searched for. */
  async end(): Promise<void> {
    await this.#searching;
  }

  async #search(): Promise<void> {
    const { clock, outbox, windows, logger } = this.#deps;
    const now = clock.now();
    // Stores together: one question for each would be one too many.
    const out = windows.outBefore(now - intervalMs).flatMap(({ eventIds }) => eventIds);
    for (let first = 0; first < out.length; first += askedMax) {
      const eventIds = out.slice(first, first + askedMax);
      const unsettled = new Set(await outbox.unsettled(eventIds));
      windows.settle(eventIds.filter((eventId) => !unsettled.has(eventId)));
    }
    for (const { storeId } of windows.outBefore(now - lostAfterMs)) {
      logger.warn(
        { store: storeId },
        "events are not settled for long: published again, should they be lost",
      );
      windows.restart(storeId);
    }
    if (now - this.#storesReadAt < storesIntervalMs) return;
    this.#storesReadAt = now;
    windows.noteStored(await outbox.stores());
  }
}
