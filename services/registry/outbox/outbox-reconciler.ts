import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Outbox } from "./outbox.ts";
import type { StoreWindows } from "./store-windows.ts";

interface OutboxReconcilerDeps {
  readonly outbox: Pick<Outbox, "advanceMark" | "findUnsettled" | "storesWithEntries">;
  readonly windows: StoreWindows;
  /** Whether this replica relays the events of a store. */
  readonly relays: (storeId: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after each run, successful or not. */
  readonly onReconciled: () => void;
}

const intervalMs = 500;
// With this many events per run, an outage of all notifiers does not keep the database busy. Events whose notification
// was lost are then found later.
const checkedEventsMax = 2_000;
const loggedStoresMax = 10;
const storesIntervalMs = 30_000;
const markIntervalMs = 5_000;
// Longer than an event usually waits in the notifier's queues. If an event waits longer, publishing it again does no
// harm: the stream drops the second copy while it stores the first.
const lostAfterMs = 5 * 60_000;

/**
 * Reconciles the stores' windows with the outbox, which is the source of truth. Replicas notify each other of settled
 * events on a best-effort basis; the reconciler finds the events whose notification was lost, republishes events that
 * JetStream appears to have lost, and opens windows for stores whose entries no window covers. It also advances the
 * outbox's low-water mark.
 */
export class OutboxReconciler {
  readonly #deps: OutboxReconcilerDeps;
  #running: Promise<void> | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #markedAt = Number.NEGATIVE_INFINITY;
  #storesReadAt = Number.NEGATIVE_INFINITY;

  constructor(deps: OutboxReconcilerDeps) {
    this.#deps = deps;
  }

  /** Starts a run if none is running and the interval has passed. */
  begin(): void {
    const { clock, logger, onReconciled } = this.#deps;
    if (this.#running !== undefined || clock.now() - this.#startedAt < intervalMs) return;
    this.#startedAt = clock.now();
    this.#running = this.#reconcile()
      .catch((error: unknown) => logger.warn({ err: error }, "cannot reconcile the outbox; retrying"))
      .finally(() => {
        this.#running = undefined;
        onReconciled();
      });
  }

  /** Resolves when the current run has finished. */
  async end(): Promise<void> {
    await this.#running;
  }

  async #reconcile(): Promise<void> {
    const { clock, outbox, windows, relays, logger } = this.#deps;
    const now = clock.now();
    // Queries the events of all stores together, because one query per store would be too many.
    const eventIds = windows.takeChecks(now, checkedEventsMax);
    const unsettled = new Set(eventIds.length === 0 ? [] : await outbox.findUnsettled(eventIds));
    windows.settle(eventIds.filter((eventId) => !unsettled.has(eventId)));
    const lost = windows.storesInFlightSince(now - lostAfterMs);
    if (lost.length > 0) {
      const stores = lost.slice(0, loggedStoresMax);
      logger.warn({ storeCount: lost.length, stores }, "events unsettled for too long; publishing them again");
    }
    for (const storeId of lost) windows.restart(storeId);
    if (now - this.#markedAt >= markIntervalMs) {
      this.#markedAt = now;
      await outbox.advanceMark();
    }
    if (now - this.#storesReadAt < storesIntervalMs) return;
    this.#storesReadAt = now;
    const stores = await outbox.storesWithEntries();
    // Filtered after the read, during which partitions may have moved.
    windows.noteBacklog(stores.filter(relays));
  }
}
