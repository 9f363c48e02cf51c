import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { BacklogReads } from "./backlog-reads.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import type { Lease, Outbox, Publish } from "./outbox.ts";
import { OutboxReconciler } from "./outbox-reconciler.ts";
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
  /** For durations: it never goes back. */
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 500;
// Not yet stored by the stream.
const publishingMax = 500;
// Each change wakes the relay: without a reason of ours, each would make an error with a stack.
const woken = "woken";
const followIntervalMs = 1_000;
const pauseAfterErrorMs = 500;
// Another replica may reach what this one does not: after so many failures it gets its chance.
const failuresMax = 3;
const standBackMs = 3 * followIntervalMs;
const failuresLifeMs = 30_000;
// Replicas tell each other what they commit; this is for what they could not tell.
const lookIntervalMs = 200;

/**
 * Carries events from the outbox to JetStream, in one replica at a time, as far as the stores' windows let them. An entry
 * stays in the outbox until its event is settled, so a relay that takes over finds all that its predecessor knew.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #windows: StoreWindows;
  readonly #backlogs: BacklogReads;
  readonly #reconciler: OutboxReconciler;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();
  readonly #lease: LeaseKeeper;
  #failedAt: readonly number[] = [];
  #isPrepared = false;
  #isFreshThere = true;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #taking: Promise<void> = Promise.resolve();
  readonly #publishing = new Set<Promise<void>>();
  // Of what goes on beside the steps.
  #failures: unknown[] = [];
  #wake = new AbortController();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#lease = new LeaseKeeper(deps.lease, deps.clock);
    const windows = new StoreWindows(deps.limits);
    const wake = () => this.#wake.abort(woken);
    this.#windows = windows;
    this.#backlogs = new BacklogReads({ ...deps, windows, stopped: this.#stopped.signal, onRead: wake });
    this.#reconciler = new OutboxReconciler({ ...deps, windows, onSearched: wake });
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
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#step();
      } catch (error) {
        await this.#recover(error);
      }
    }
    this.#isPrepared = false;
    await Promise.all([this.#taking, ...this.#publishing, this.#backlogs.end(), this.#reconciler.end()]);
    await this.#giveLeaseBack();
  }

  async #recover(error: unknown): Promise<void> {
    const { clock, logger } = this.#deps;
    logger.warn({ err: error }, "outbox relay waits");
    this.#lease.invalidate();
    this.#isPrepared = false;
    // What was begun before may still fail, and is done again anyway.
    this.#failures = [];
    const now = clock.now();
    this.#failedAt = [...this.#failedAt.filter((time) => now - time < failuresLifeMs), now];
    const isOthersTurn = this.#failedAt.length >= failuresMax;
    if (isOthersTurn) {
      this.#failedAt = [];
      await this.#giveLeaseBack();
    }
    await clock.sleep(isOthersTurn ? standBackMs : pauseAfterErrorMs, this.#stopped.signal);
  }

  async #giveLeaseBack(): Promise<void> {
    const { logger } = this.#deps;
    await this.#lease
      .release()
      .catch((error: unknown) => logger.warn({ err: error }, "the lease runs out by itself"));
  }

  async #step(): Promise<void> {
    const { clock } = this.#deps;
    if (!(await this.#lead())) {
      await clock.sleep(followIntervalMs, this.#stopped.signal);
      return;
    }
    this.#wake = new AbortController();
    if (this.#failures.length > 0) throw this.#failures[0];
    const begunAt = clock.now();
    const isLooking = this.#isFreshThere || begunAt - this.#lookedAt >= lookIntervalMs;
    if (isLooking && !(await this.#look())) return;
    const lookedForMs = clock.now() - begunAt;
    this.#publish();
    this.#backlogs.begin();
    this.#reconciler.begin();
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
    if (!this.#lease.isCertain) {
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
    const { prepare, outbox, logger } = this.#deps;
    const state = await this.#lease.keep();
    // Another may have had it meanwhile and know of entries that this one does not.
    if (state !== "held") this.#isPrepared = false;
    if (state === "lost") return false;
    if (this.#isPrepared) return true;
    await prepare();
    if ((await this.#lease.keep()) === "lost") return false;
    this.#windows.clear();
    // From here on whoever had the lease before can take nothing any more: what it may have read is taken.
    await outbox.takeAll();
    await this.#lease.keep();
    this.#windows.noteStored(await outbox.stores());
    this.#reconciler.noteStoresRead();
    // With a long backlog all this may take longer than the lease lives: the next time it goes faster.
    if (!this.#lease.isCertain) return false;
    this.#isPrepared = true;
    logger.info("outbox relay is ready");
    return true;
  }
}
