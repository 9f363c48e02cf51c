import { Loop } from "#shared/lifecycle/loop.ts";
import { partitionOf } from "#shared/nats/event-stream.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { backOffMs } from "#shared/retry/back-off.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { SharedTasks } from "../leases/shared-tasks.ts";
import { TaskShare } from "../leases/task-share.ts";
import { BacklogReads } from "./backlog-reads.ts";
import type { Outbox, OutboxEntry, Publish } from "./outbox.ts";
import { OutboxReconciler } from "./outbox-reconciler.ts";
import { RelayedPartitions } from "./relayed-partitions.ts";
import type { WindowLimits } from "./store-window.ts";
import { StoreWindows } from "./store-windows.ts";

/** A relay's current load, for metrics. */
export interface RelayLoad extends Pick<StoreWindows, "inFlightCount" | "waitingStoreCount"> {
  /** Number of partitions that this replica relays. */
  readonly partitionCount: number;
}

export interface RelayDeps {
  readonly outbox: Outbox;
  /** One task per partition of stores. */
  readonly partitions: SharedTasks;
  readonly publish: Publish;
  /** Creates or corrects the stream. Called when this replica begins to relay, including after a failure. */
  readonly prepare: () => Promise<void>;
  readonly limits: WindowLimits;
  /** Number of unacknowledged publishes at which no further publish starts. Default 500. */
  readonly publishingMax?: number;
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 500;
const followIntervalMs = 1_000;
const pauseAfterErrorMs = 500;
// This replica may be cut off from NATS while others are not, so after repeated failures it leaves its share to them.
const failuresMax = 3;
const failureWindowMs = 30_000;
const yieldMs = 3 * followIntervalMs;
// A replica that reaches the stream but cannot publish leaves for longer each time.
const yieldMaxMs = 60_000;
const healthyMs = 60_000;
const stepIntervalMs = 200;
// Polls find entries whose notification was lost. A poll in every step would be half of an idle registry's work.
const pollIntervalMs = 1_000;

/**
 * The relay of the transactional outbox (https://microservices.io/patterns/data/transactional-outbox.html): publishes
 * to JetStream the events that changes have inserted into the outbox, each certificate's events in clock order.
 *
 * The stores are divided into partitions, and each partition has a lease: one replica at a time relays its events. This
 * relay serves all partitions of its replica's {@link TaskShare} with one loop and one set of queries, so that an idle
 * registry does not pay for the number of partitions. Each step renews the leases, takes partitions over or gives them
 * up, and reads new entries if due. It then starts to publish what the {@link StoreWindows} allow, and starts the
 * {@link BacklogReads} and the {@link OutboxReconciler} run that are due; all of these proceed concurrently with later
 * steps.
 *
 * An entry stays in the outbox until its event is settled, so that a relay that takes a partition over can rebuild its
 * state from the outbox. Such a relay may publish an event again; JetStream drops the duplicate, and the event's claim
 * prevents a second delivery.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #windows: StoreWindows;
  readonly #backlogs: BacklogReads;
  readonly #reconciler: OutboxReconciler;
  readonly #share: TaskShare;
  readonly #relayed: RelayedPartitions;
  readonly #loop: Loop;
  readonly #publishingMax: number;
  #isPrepared = false;
  #failedAt: readonly number[] = [];
  /** Whether a publish has failed since this replica last left its share. */
  #hasFailedToPublish = false;
  /** How often it has left for that reason, without relaying for a minute in between; and when it last returned. */
  #leaves = 0;
  #returnedAt = Number.NEGATIVE_INFINITY;
  /** Ends the time for which this replica has left its share. */
  #returning = new AbortController();
  #hasNewEntries = true;
  #polledAt = Number.NEGATIVE_INFINITY;
  #marking: Promise<void> = Promise.resolve();
  /** The publishes in progress, and the partition of each. */
  readonly #publishing = new Map<Promise<void>, number>();
  #takingOver: Promise<void> = Promise.resolve();
  readonly #refused = new RefusedStores();
  /** Errors of concurrent work; the next step throws the first. */
  #backgroundFailures: unknown[] = [];

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#publishingMax = deps.publishingMax ?? 500;
    this.#share = new TaskShare(deps.partitions, deps.clock);
    const windows = new StoreWindows(deps.limits);
    this.#loop = new Loop({
      clock: deps.clock,
      step: (stopping) => this.#step(stopping).catch((error: unknown) => this.#recover(error, stopping)),
    });
    const wake = () => this.#loop.wake();
    this.#windows = windows;
    this.#relayed = new RelayedPartitions({ outbox: deps.outbox, share: this.#share, windows });
    this.#backlogs = new BacklogReads({ ...deps, windows, signal: this.#loop.stopping, onRead: wake });
    const relays = (storeId: string) => this.relays(partitionOf(storeId));
    this.#reconciler = new OutboxReconciler({ ...deps, windows, relays, onReconciled: wake });
  }

  /** Whether this replica relays the events of a partition. */
  relays(partition: number): boolean {
    return this.#relayed.has(partition);
  }

  get partitionCount(): number {
    return this.#relayed.numbers.length;
  }

  /** The current load; counting the stores that wait takes time. */
  get load(): RelayLoad {
    const { inFlightCount, waitingStoreCount } = this.#windows;
    return { partitionCount: this.partitionCount, inFlightCount, waitingStoreCount };
  }

  start(): void {
    this.#loop.start();
  }

  /** Notifies the relay of new entries. */
  wake(): void {
    this.#hasNewEntries = true;
    this.#loop.wake();
  }

  /** Notifies the relay of settled events. @returns the events that this relay does not have in flight */
  settle(eventIds: readonly string[]): string[] {
    const unknown = this.#windows.settle(eventIds);
    if (unknown.length < eventIds.length) this.#loop.wake();
    return unknown;
  }

  /** Prepares the stream and publishes all unsettled events again: NATS may have lost its storage. */
  restart(): void {
    this.#isPrepared = false;
    this.#leaves = 0;
    this.#returning.abort();
    this.wake();
  }

  /** Finishes work in progress and releases all leases. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#relayed.clear();
    await Promise.all([
      this.#marking,
      this.#takingOver,
      ...this.#publishing.keys(),
      this.#backlogs.end(),
      this.#reconciler.end(),
    ]);
    await this.#leave();
  }

  async #recover(error: unknown, stopping: AbortSignal): Promise<number> {
    const { clock, logger } = this.#deps;
    logger.warn({ err: error }, "outbox relay failed; retrying");
    this.#isPrepared = false;
    this.#relayed.clear();
    // Work that is still running keeps the old list: its failures no longer matter, because the work will be redone.
    this.#backgroundFailures = [];
    const now = clock.now();
    this.#failedAt = [...this.#failedAt.filter((time) => now - time < failureWindowMs), now];
    // Not the loop's pause, which new entries would end.
    if (this.#failedAt.length < failuresMax) await clock.sleep(pauseAfterErrorMs, stopping);
    else {
      this.#failedAt = [];
      // Before the leases are released, which takes time in which NATS may recover.
      this.#returning = new AbortController();
      await this.#leave();
      // In an outage of NATS or the database there is no healthy replica to leave the share to.
      if (!this.#hasFailedToPublish || now - this.#returnedAt >= healthyMs) this.#leaves = 0;
      this.#hasFailedToPublish = false;
      const signal = AbortSignal.any([stopping, this.#returning.signal]);
      await clock.sleep(backOffMs(this.#leaves++, yieldMs, yieldMaxMs), signal);
      this.#returnedAt = clock.now();
    }
    return 0;
  }

  async #leave(): Promise<void> {
    const { logger } = this.#deps;
    await this.#share
      .leave()
      .catch((error: unknown) => logger.warn({ err: error }, "cannot release the relay's leases; they will expire"));
  }

  /** @returns the pause before the next step */
  async #step(stopping: AbortSignal): Promise<number> {
    const { clock } = this.#deps;
    await this.#keepShare();
    if (this.#backgroundFailures.length > 0) throw this.#backgroundFailures[0];
    // Without partitions, until the first have been taken over.
    if (this.#relayed.numbers.length === 0) return followIntervalMs;
    const startedAt = clock.now();
    const polls = this.#hasNewEntries || startedAt - this.#polledAt >= pollIntervalMs;
    if (polls && !(await this.#poll())) return 0;
    const pollDurationMs = clock.now() - startedAt;
    if (!this.#share.isCertain) return 0;
    this.#publish();
    this.#backlogs.begin();
    this.#reconciler.begin();
    // Bounds the share of time spent on polls to half; the entries that arrive meanwhile are read by the next poll.
    if (polls) await clock.sleep(pollDurationMs, stopping);
    return stepIntervalMs;
  }

  /** Renews the leases, and takes partitions over or gives them up as far as that is due. */
  async #keepShare(): Promise<void> {
    const { prepare, logger } = this.#deps;
    if (!this.#isPrepared) {
      this.#relayed.clear();
      // A wake-up during the call makes the next step prepare the stream again.
      this.#isPrepared = true;
      // Before this replica takes a share of the partitions: if it is cut off from NATS, the others keep them.
      await prepare();
    }
    await this.#share.keep();
    const begun = this.#relayed.update();
    if (begun.length > 0) {
      this.wake();
      logger.info({ partitions: begun }, "outbox relay is ready");
    }
    await this.#giveUpSurplus();
    const takeover = this.#relayed.takeOver();
    if (takeover !== undefined) this.#takingOver = this.#inBackground(takeover).then(() => this.#loop.wake());
  }

  /** Releases the partitions that exceed this replica's share, once nothing of them is being published or marked. */
  async #giveUpSurplus(): Promise<void> {
    if (this.#share.surplus.length === 0 || this.#relayed.isTakingOver) return;
    const publishing = new Set(this.#publishing.values());
    const atRest = this.#share.surplus.filter((partition) => !publishing.has(partition));
    if (atRest.length === 0) return;
    await this.#marking;
    await this.#share.release(atRest);
  }

  /** Reads new entries into the windows and marks them as taken. @returns false when the leases are uncertain now */
  async #poll(): Promise<boolean> {
    const { clock, outbox } = this.#deps;
    await this.#marking;
    this.#polledAt = clock.now();
    this.#hasNewEntries = false;
    const entries = await outbox.readNew(this.#relayed.numbers, batchMax);
    // Another replica may relay them by now. It will find these entries in the outbox.
    if (!this.#share.isCertain) {
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
    for (const storeId of this.#refused.takeDue(now))
      if (this.relays(partitionOf(storeId))) this.#windows.restart(storeId);
    const capacity = this.#publishingMax - this.#publishing.size;
    const entries = capacity > 0 ? this.#windows.next(now, capacity) : [];
    for (const entry of entries) {
      const publishing = this.#inBackground(this.#publishOne(entry)).finally(() => {
        this.#publishing.delete(publishing);
        // Entries may have been waiting for capacity.
        if (this.#publishing.size === this.#publishingMax - 1) this.#loop.wake();
      });
      this.#publishing.set(publishing, partitionOf(entry.storeId));
    }
  }

  async #publishOne(entry: OutboxEntry): Promise<void> {
    const result = await this.#deps.publish(entry).catch((error: unknown) => {
      this.#hasFailedToPublish = true;
      throw error;
    });
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
