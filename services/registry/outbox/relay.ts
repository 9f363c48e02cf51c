import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { LeaseKeeper } from "../leases/lease-keeper.ts";
import type { LeasedTask } from "../leases/leased-queue.ts";
import { BacklogReads } from "./backlog-reads.ts";
import type { Outbox, OutboxEntry, Publish } from "./outbox.ts";
import { OutboxReconciler } from "./outbox-reconciler.ts";
import type { WindowLimits } from "./store-window.ts";
import { type RelayLoad, StoreWindows } from "./store-windows.ts";

/** Dependencies of a {@link Relay}. */
export interface RelayDeps {
  readonly outbox: Outbox;
  readonly lease: LeasedTask;
  readonly publish: Publish;
  /** Creates or corrects the stream. Called each time this replica begins to lead, including after a failure. */
  readonly prepare: () => Promise<void>;
  readonly limits: WindowLimits;
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 500;
// Number of unacknowledged publishes at which no further publish starts.
const publishingMax = 500;
const followIntervalMs = 1_000;
const pauseAfterErrorMs = 500;
// This replica may be cut off from NATS while another is not, so after repeated failures it yields the lease.
const failuresMax = 3;
const failureWindowMs = 30_000;
const yieldMs = 3 * followIntervalMs;
const stepIntervalMs = 200;
// Polls find entries whose notification was lost. A poll in every step would be half of an idle registry's work.
const pollIntervalMs = 1_000;

/**
 * The relay of the transactional outbox (https://microservices.io/patterns/data/transactional-outbox.html): publishes
 * to JetStream the events that changes have inserted into the outbox, each certificate's events in clock order.
 *
 * Only the replica that holds the lease relays. Each step of its loop renews the lease and reads new entries if due. It
 * then starts to publish what the {@link StoreWindows} allow, and starts the {@link BacklogReads} and the {@link
 * OutboxReconciler} run that are due; all of these proceed concurrently with later steps.
 *
 * An entry stays in the outbox until its event is settled, so that a relay that acquires the lease can rebuild all its
 * state from the outbox. Such a relay may publish an event again; JetStream drops the duplicate, and the event's claim
 * prevents a second delivery.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #windows: StoreWindows;
  readonly #backlogs: BacklogReads;
  readonly #reconciler: OutboxReconciler;
  readonly #lease: LeaseKeeper;
  readonly #loop: Loop;
  #isLeading = false;
  #failedAt: readonly number[] = [];
  #hasNewEntries = true;
  #polledAt = Number.NEGATIVE_INFINITY;
  #marking: Promise<void> = Promise.resolve();
  readonly #publishing = new Set<Promise<void>>();
  readonly #refused = new RefusedStores();
  /** Errors of concurrent work; the next step throws the first. */
  #backgroundFailures: unknown[] = [];

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#lease = new LeaseKeeper(deps.lease, deps.clock);
    const windows = new StoreWindows(deps.limits);
    this.#loop = new Loop({
      clock: deps.clock,
      step: (stopping) => this.#step(stopping).catch((error: unknown) => this.#recover(error, stopping)),
    });
    const wake = () => this.#loop.wake();
    this.#windows = windows;
    this.#backlogs = new BacklogReads({ ...deps, windows, signal: this.#loop.stopping, onRead: wake });
    this.#reconciler = new OutboxReconciler({ ...deps, windows, onReconciled: wake });
  }

  /** Whether this replica holds the lease and relays. */
  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** The current load; undefined while this replica does not lead, because its windows are stale then. */
  get load(): RelayLoad | undefined {
    return this.#isLeading ? this.#windows : undefined;
  }

  start(): void {
    this.#loop.start();
  }

  /** Notifies the relay of new entries. */
  wake(): void {
    this.#hasNewEntries = true;
    this.#loop.wake();
  }

  /** Notifies the relay of settled events. */
  settle(eventIds: readonly string[]): void {
    this.#windows.settle(eventIds);
    this.#loop.wake();
  }

  /** If leading, prepares the stream and publishes all unsettled events again: NATS may have lost its storage. */
  restart(): void {
    this.#lease.invalidate();
    this.wake();
  }

  /** Finishes work in progress and releases the lease. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#isLeading = false;
    await Promise.all([this.#marking, ...this.#publishing, this.#backlogs.end(), this.#reconciler.end()]);
    await this.#releaseLease();
  }

  async #recover(error: unknown, stopping: AbortSignal): Promise<number> {
    const { clock, logger } = this.#deps;
    logger.warn({ err: error }, "outbox relay failed; retrying");
    this.#lease.invalidate();
    this.#isLeading = false;
    // Work that is still running keeps the old list: its failures no longer matter, because the work will be redone.
    this.#backgroundFailures = [];
    const now = clock.now();
    this.#failedAt = [...this.#failedAt.filter((time) => now - time < failureWindowMs), now];
    const yields = this.#failedAt.length >= failuresMax;
    if (yields) {
      this.#failedAt = [];
      await this.#releaseLease();
    }
    // Not the loop's pause, which new entries would end.
    await clock.sleep(yields ? yieldMs : pauseAfterErrorMs, stopping);
    return 0;
  }

  async #releaseLease(): Promise<void> {
    const { logger } = this.#deps;
    await this.#lease
      .release()
      .catch((error: unknown) => logger.warn({ err: error }, "cannot release the relay's lease; it will expire"));
  }

  /** @returns the pause before the next step */
  async #step(stopping: AbortSignal): Promise<number> {
    const { clock } = this.#deps;
    if (!(await this.#lead())) {
      await clock.sleep(followIntervalMs, stopping);
      return 0;
    }
    if (this.#backgroundFailures.length > 0) throw this.#backgroundFailures[0];
    const startedAt = clock.now();
    const polls = this.#hasNewEntries || startedAt - this.#polledAt >= pollIntervalMs;
    if (polls && !(await this.#poll())) return 0;
    const pollDurationMs = clock.now() - startedAt;
    this.#publish();
    this.#backlogs.begin();
    this.#reconciler.begin();
    // Bounds the share of time spent on polls to half; the entries that arrive meanwhile are read by the next poll.
    if (polls) await clock.sleep(pollDurationMs, stopping);
    return stepIntervalMs;
  }

  /** Reads new entries into the windows and marks them as taken. @returns false when the lease has become uncertain */
  async #poll(): Promise<boolean> {
    const { clock, outbox } = this.#deps;
    await this.#marking;
    this.#polledAt = clock.now();
    this.#hasNewEntries = false;
    const entries = await outbox.readNew(batchMax);
    // Another replica may lead by now. It will find these entries in the outbox.
    if (!this.#lease.isCertain) {
      this.#hasNewEntries = true;
      return false;
    }
    this.#windows.add(entries);
    if (entries.length === batchMax) this.wake();
    if (entries.length > 0) this.#marking = this.#inBackground(outbox.markTaken(entries.map(({ eventId }) => eventId)));
    return true;
  }

  #publish(): void {
    const now = this.#deps.clock.now();
    for (const storeId of this.#refused.takeDue(now)) this.#windows.restart(storeId);
    const capacity = publishingMax - this.#publishing.size;
    const entries = capacity > 0 ? this.#windows.next(now, capacity) : [];
    for (const entry of entries) {
      const publishing = this.#inBackground(this.#publishOne(entry)).finally(() => {
        this.#publishing.delete(publishing);
        // Entries may have been waiting for capacity.
        if (this.#publishing.size === publishingMax - 1) this.#loop.wake();
      });
      this.#publishing.add(publishing);
    }
  }

  async #publishOne(entry: OutboxEntry): Promise<void> {
    const result = await this.#deps.publish(entry);
    if (result === "settled") this.settle([entry.eventId]);
    if (result === "refused") this.#refused.add(entry.storeId, this.#deps.clock.now());
  }

  /** Collects the error of concurrent work, for the next step to throw. Resolves when the work has ended. */
  #inBackground(work: Promise<unknown>): Promise<void> {
    const failures = this.#backgroundFailures;
    return work.then(
      () => undefined,
      (error: unknown) => {
        failures.push(error);
        this.#loop.wake();
      },
    );
  }

  /** Acquires or renews the lease; after acquiring it, rebuilds the windows. @returns whether this replica leads */
  async #lead(): Promise<boolean> {
    const { prepare, outbox, logger } = this.#deps;
    const state = await this.#lease.keep();
    // Unless the lease was held throughout, another replica may have taken entries that these windows do not have.
    if (state !== "held") this.#isLeading = false;
    if (state === "lost") return false;
    if (this.#isLeading) return true;
    await prepare();
    if ((await this.#lease.keep()) === "lost") return false;
    this.#windows.clear();
    await outbox.advanceMark();
    // Only entries that are not taken can be hidden by a late `markTaken` of the previous leader; now none are left.
    await outbox.markAllTaken();
    await this.#lease.keep();
    this.#windows.noteBacklog(await outbox.storesWithEntries());
    this.#reconciler.noteStoresRead();
    // With a long backlog, marking may outlast the lease; the next attempt has less to mark and is faster.
    if (!this.#lease.isCertain) return false;
    this.#isLeading = true;
    logger.info("outbox relay is ready");
    return true;
  }
}

// Long enough that a log line for each refusal does no harm, short enough that events are published soon after an
// operator has granted the missing permission.
const retryAfterMs = 10_000;

/** Stores with an event that NATS refuses for now; the relay tries to publish their events again after a pause. */
class RefusedStores {
  readonly #retryAt = new Map<string, number>();

  /** @param now monotonic time, in milliseconds */
  add(storeId: string, now: number): void {
    if (!this.#retryAt.has(storeId)) this.#retryAt.set(storeId, now + retryAfterMs);
  }

  /** Removes and returns the stores whose pause has passed. */
  takeDue(now: number): string[] {
    const due = [...this.#retryAt].flatMap(([storeId, at]) => (at <= now ? [storeId] : []));
    for (const storeId of due) this.#retryAt.delete(storeId);
    return due;
  }
}
