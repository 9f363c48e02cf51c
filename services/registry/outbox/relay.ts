import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type Lease, leaseLifeMs, type Outbox, type Publish } from "./outbox.ts";
import type { WindowLimits } from "./store-window.ts";
import { StoreWindows } from "./store-windows.ts";

/** What a {@link Relay} works with. */
export interface RelayDeps {
  readonly outbox: Outbox;
  readonly lease: Lease;
  readonly publish: Publish;
  /** Makes the stream. Called before the first batch, and again after a failure: a server may have lost its storage. */
  readonly prepare: () => Promise<void>;
  readonly limits: WindowLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 500;
// Each change wakes the relay: without a reason of ours, each would make an error with a stack.
const woken = "woken";
const leaseIntervalMs = 1_000;
// A step that began with the lease must not take entries when another relay may have taken over meanwhile.
const leaseMarginMs = 1_000;
const pauseAfterErrorMs = 500;
// Replicas tell each other what they commit and settle; these are for what they could not tell.
const lookIntervalMs = 200;
const settledLookMs = 500;
const settledLookMax = 2_000;
const storesLookMs = 30_000;
// Far longer than events wait for their turn with the notifier; what is still in the stream is not stored twice.
const lostAfterMs = 5 * 60_000;

/**
 * Carries events from the outbox to JetStream, in one replica at a time, as far as the stores' windows let them. An entry
 * stays in the outbox until its event is settled, so a relay that takes over finds all that its predecessor knew.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #windows: StoreWindows;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #heldAt = Number.NEGATIVE_INFINITY;
  #settledLookedAt = Number.NEGATIVE_INFINITY;
  #storesLookedAt = Number.NEGATIVE_INFINITY;
  #isPrepared = false;
  #wake = new AbortController();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#windows = new StoreWindows(deps.limits);
  }

  /** Whether it carries events; else another replica's does. */
  get isLeading(): boolean {
    return this.#isPrepared;
  }

  /** Starts to work in the background. */
  start(): void {
    this.#running = this.#run();
  }

  /** Tells that there may be something to publish. */
  wake(): void {
    this.#wake.abort(woken);
  }

  /** Tells that outcomes of events are recorded. */
  settle(eventIds: readonly string[]): void {
    this.#windows.settle(eventIds);
    this.wake();
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
    this.#isPrepared = false;
    await lease
      .release()
      .catch((error: unknown) => logger.warn({ err: error }, "the lease runs out by itself"));
  }

  async #step(): Promise<void> {
    const { clock, outbox } = this.#deps;
    if (!(await this.#lead())) {
      await clock.sleep(leaseIntervalMs, this.#stopped.signal);
      return;
    }
    this.#wake = new AbortController();
    const fresh = await outbox.fresh(batchMax);
    // Read while the lease was certainly ours, so all of it was there when any successor took what there was.
    if (clock.now() - this.#heldAt >= leaseLifeMs - leaseMarginMs) return;
    this.#windows.add(fresh);
    await this.#lookForLost();
    await this.#readBacklogs();
    const entries = this.#windows.next(clock.now(), batchMax);
    await Promise.all([
      fresh.length > 0 && outbox.take(fresh.map(({ eventId }) => eventId)),
      ...entries.map(this.#deps.publish),
    ]);
    // What was committed or settled meanwhile has woken it: a look that found nothing would cost as much as a change.
    const isMore = Math.max(fresh.length, entries.length) >= batchMax || this.#windows.backlogs().length > 0;
    if (!isMore) await clock.sleep(lookIntervalMs, this.#wake.signal);
  }

  /** @returns whether the lease is ours and everything is ready */
  async #lead(): Promise<boolean> {
    const { clock, lease, prepare, outbox, logger } = this.#deps;
    const askedAt = clock.now();
    if (askedAt - this.#heldAt >= leaseIntervalMs) {
      // Another may have had it meanwhile and know of entries that this one does not.
      if (askedAt - this.#heldAt >= leaseLifeMs) this.#isPrepared = false;
      if (!(await lease.hold())) {
        this.#isPrepared = false;
        return false;
      }
      this.#heldAt = askedAt;
    }
    if (this.#isPrepared) return true;
    await prepare();
    this.#windows.clear();
    // From here on whoever had the lease before can take nothing any more: what it may have read is taken.
    await outbox.takeAll();
    this.#windows.noteStored(await outbox.stores());
    this.#storesLookedAt = clock.now();
    this.#isPrepared = true;
    logger.info("outbox relay is ready");
    return true;
  }

  async #readBacklogs(): Promise<void> {
    const { outbox, limits } = this.#deps;
    const read = this.#windows.backlogs().map(async ({ storeId, after }) => {
      const entries = await outbox.ofStore(storeId, after, limits.held);
      this.#windows.addStored(storeId, entries, entries.length < limits.held);
    });
    await Promise.all(read);
  }

  /** Finds what was settled, or lost, or left behind, without anybody telling. */
  async #lookForLost(): Promise<void> {
    const { clock, outbox, logger } = this.#deps;
    const now = clock.now();
    if (now - this.#settledLookedAt < settledLookMs) return;
    this.#settledLookedAt = now;
    // Stores together: one question for each would hold up the events of all of them.
    const out = this.#windows.outBefore(now - settledLookMs).flatMap(({ eventIds }) => eventIds);
    for (let first = 0; first < out.length; first += settledLookMax) {
      const eventIds = out.slice(first, first + settledLookMax);
      const unsettled = new Set(await outbox.unsettled(eventIds));
      this.#windows.settle(eventIds.filter((eventId) => !unsettled.has(eventId)));
    }
    for (const { storeId } of this.#windows.outBefore(now - lostAfterMs)) {
      logger.warn(
        { store: storeId },
        "events are not settled for long: published again, should they be lost",
      );
      this.#windows.restart(storeId);
    }
    if (now - this.#storesLookedAt < storesLookMs) return;
    this.#storesLookedAt = now;
    this.#windows.noteStored(await outbox.stores());
  }
}
