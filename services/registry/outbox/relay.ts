import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type Lease, leaseLifeMs, type Outbox, type Publish } from "./outbox.ts";
import type { WindowLimits } from "./store-window.ts";
import { type RelayLoad, StoreWindows } from "./store-windows.ts";

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
// Not yet stored by the stream.
const publishingMax = 500;
// Of stores with long backlogs, so that they leave the database to the others.
const readingMax = 8;
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
  #isFreshThere = true;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #taking: Promise<void> = Promise.resolve();
  readonly #publishing = new Set<Promise<void>>();
  readonly #reading = new Set<Promise<void>>();
  #searching: Promise<void> | undefined;
  // Of what goes on beside the steps.
  #failures: unknown[] = [];
  #wake = new AbortController();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#windows = new StoreWindows(deps.limits);
  }

  /** Whether it carries events; else another replica's does. */
  get isLeading(): boolean {
    return this.#isPrepared;
  }

  /** What it has in hand; undefined while it does not lead: what it knew then is not so any more. */
  get load(): RelayLoad | undefined {
    return this.#isPrepared ? this.#windows : undefined;
  }

  /** Starts to work in the background. */
  start(): void {
    this.#running = this.#run();
  }

  /** Tells that there are new entries. */
  wake(): void {
    this.#isFreshThere = true;
    this.#wake.abort(woken);
  }

  /** Tells that outcomes of events are recorded. */
  settle(eventIds: readonly string[]): void {
    this.#windows.settle(eventIds);
    this.#wake.abort(woken);
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
        // What was begun before may still fail, and is done again anyway.
        this.#failures = [];
        await clock.sleep(pauseAfterErrorMs, this.#stopped.signal);
      }
    }
    this.#isPrepared = false;
    await Promise.all([this.#taking, this.#searching, ...this.#reading, ...this.#publishing]);
    await lease
      .release()
      .catch((error: unknown) => logger.warn({ err: error }, "the lease runs out by itself"));
  }

  async #step(): Promise<void> {
    const { clock } = this.#deps;
    if (!(await this.#lead())) {
      await clock.sleep(leaseIntervalMs, this.#stopped.signal);
      return;
    }
    this.#wake = new AbortController();
    if (this.#failures.length > 0) throw this.#failures[0];
    const begunAt = clock.now();
    const isLooking = this.#isFreshThere || begunAt - this.#lookedAt >= lookIntervalMs;
    if (isLooking && !(await this.#look())) return;
    const lookedForMs = clock.now() - begunAt;
    this.#readBacklogs();
    this.#searching ??= this.#watch(this.#lookForLost()).finally(() => {
      this.#searching = undefined;
    });
    this.#publish();
    // At most half of the time is spent on looking: the busier the database, the more entries a look finds.
    if (isLooking) await clock.sleep(lookedForMs, this.#stopped.signal);
    await clock.sleep(lookIntervalMs, this.#wake.signal);
  }

  /** Reads the entries that nobody has taken and takes them. @returns false when the lease has become uncertain */
  async #look(): Promise<boolean> {
    const { clock, outbox } = this.#deps;
    await this.#taking;
    this.#lookedAt = clock.now();
    this.#isFreshThere = false;
    const fresh = await outbox.fresh(batchMax);
    // Read while the lease was certainly ours, so all of it was there when any successor took what there was.
    if (clock.now() - this.#heldAt >= leaseLifeMs - leaseMarginMs) {
      this.#isFreshThere = true;
      return false;
    }
    this.#windows.add(fresh);
    if (fresh.length === batchMax) this.wake();
    if (fresh.length > 0) this.#taking = this.#watch(outbox.take(fresh.map(({ eventId }) => eventId)));
    return true;
  }

  #publish(): void {
    const room = publishingMax - this.#publishing.size;
    const entries = room > 0 ? this.#windows.next(this.#deps.clock.now(), room) : [];
    for (const entry of entries) {
      const stored = this.#watch(this.#deps.publish(entry)).finally(() => {
        this.#publishing.delete(stored);
        // More may have been waiting for room.
        if (this.#publishing.size === publishingMax - 1) this.#wake.abort(woken);
      });
      this.#publishing.add(stored);
    }
  }

  /** Goes on beside the steps; the next step throws what it failed with. @returns resolves when it is over */
  #watch(work: Promise<unknown>): Promise<void> {
    const failures = this.#failures;
    return work.then(
      () => undefined,
      (error: unknown) => {
        failures.push(error);
        this.#wake.abort(woken);
      },
    );
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

  #readBacklogs(): void {
    const { outbox, limits } = this.#deps;
    for (const { storeId, after, add } of this.#windows.beginReads(readingMax - this.#reading.size)) {
      const found = outbox.ofStore(storeId, after, limits.held);
      const added = found.then((entries) => add(entries, entries.length < limits.held));
      const read = this.#watch(added).finally(() => {
        this.#reading.delete(read);
        this.#wake.abort(woken);
      });
      this.#reading.add(read);
    }
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
