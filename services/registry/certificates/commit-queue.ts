import { type AroundPause, Places } from "#shared/limits/places.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { remainingTime } from "#shared/time/remaining-time.ts";
import { inChildSpan, recordedTraceparent } from "#shared/trace/spans.ts";
import { type CallLimits, noLimits } from "../load/call-limits.ts";
import { LoadShedError, type ShedReason } from "../load/load-shed-error.ts";
import { EventTooLarge } from "./event-too-large.ts";
import { type Change, type CommitOptions, type Ledger, PartialResult } from "./ledger.ts";
import { type PendingBounds, type PendingChange, PendingChanges, timestampsOf } from "./pending-changes.ts";
import { type Refusal, unwrap } from "./refusal.ts";

/** Accepts changes and commits them. */
export interface ChangeQueue {
  /**
   * Commits a change.
   *
   * @returns the change's result, once the change is durable
   * @throws ServiceError for a refusal; LoadShedError, an `unavailable` ServiceError, if the change is dropped before
   *   its transaction starts; otherwise as {@link Ledger.commit}
   */
  submit<Result>(storeId: string, change: Change<Result | Refusal>): Promise<Result>;
}

/** Options of a {@link CommitQueue}. */
export interface CommitQueueOptions {
  /** Maximum number of `updatedAt` values per transaction; a larger change is committed alone. Default 500. */
  readonly maxGroupTimestamps?: number;
  /** Maximum number of waiting changes per store. Default 2,000. */
  readonly maxPending?: number;
  /**
   * Maximum number of `updatedAt` values that a store's waiting changes may need; a store's clock provides at most
   * 1,000 a second. A larger change is accepted if no other change waits. Default 5,000.
   */
  readonly maxPendingTimestamps?: number;
  /** Maximum number of `updatedAt` values that the waiting changes of all stores may need. Default 20,000. */
  readonly maxTotalTimestamps?: number;
  /** Maximum number of concurrent transactions. Default 16. */
  readonly maxTransactions?: number;
  /** Monotonic clock. Default {@link steadyClock}. */
  readonly clock?: Clock;
  /** Called for each dropped change. */
  readonly onShed?: (reason: ShedReason) => void;
}

// Dropping useless changes scans all queues, which is too expensive to do for every change that finds a queue full.
const clearIntervalMs = 50;
// A transaction that left changes unfinished shows that another replica is changing the store. A long wait for more
// timestamps would be useless, because that replica would use them; without any wait, each transaction would have
// timestamps for only a few certificates.
const enoughForLaterParts = 10;

/**
 * Group commit: changes of one store that arrive while a transaction runs are committed together in the next
 * transaction instead of conflicting on the store's clock. If the store's clock has too few timestamps for a group, the
 * rest joins the next transaction; a change that is committed in part continues there after the other changes. This is
 * why it is not a `Batcher`, whose items are all done when their batch is.
 *
 * Stores do not wait for each other, unless the maximum number of transactions is reached; they then take turns. While
 * a store pauses before it retries its transaction, another store's transaction can run instead. A change is dropped
 * before its transaction if its caller no longer waits or its deadline cannot be met.
 */
export class CommitQueue implements ChangeQueue {
  readonly #ledger: Ledger;
  readonly #maxGroupTimestamps: number;
  readonly #bounds: PendingBounds;
  readonly #maxTotalTimestamps: number;
  readonly #clock: Clock;
  readonly #onShed: (reason: ShedReason) => void;
  readonly #places: Places;
  readonly #queues = new Map<string, PendingChanges>();
  /** The groups that are waiting to retry their transaction. */
  readonly #pausing = new Set<readonly PendingChange[]>();
  #clearedAt = Number.NEGATIVE_INFINITY;

  constructor(ledger: Ledger, options: CommitQueueOptions = {}) {
    const { maxPending = 2_000, maxPendingTimestamps = 5_000, maxTransactions = 16, clock = steadyClock } = options;
    this.#ledger = ledger;
    this.#maxGroupTimestamps = options.maxGroupTimestamps ?? 500;
    this.#bounds = { maxChanges: maxPending, maxTimestamps: maxPendingTimestamps };
    this.#maxTotalTimestamps = options.maxTotalTimestamps ?? 20_000;
    this.#clock = clock;
    this.#onShed = options.onShed ?? (() => undefined);
    this.#places = new Places({
      inFlightMax: maxTransactions,
      inFlightPerStoreMax: 1,
      waitingMax: Number.POSITIVE_INFINITY,
    });
  }

  /** The number of transactions in progress. */
  get inFlight(): number {
    return this.#places.inFlight;
  }

  /** The number of changes waiting for a transaction, or for the retry of one. */
  get waiting(): number {
    const queued = this.#queues.values().reduce((total, { size }) => total + size, 0);
    return this.#pausing.values().reduce((total, group) => total + group.length, queued);
  }

  /** Returns the queue for one caller. Drops waiting changes once the caller leaves or its deadline cannot be met. */
  within(limits: CallLimits): ChangeQueue {
    return { submit: (storeId, change) => this.submit(storeId, change, limits) };
  }

  submit<Result>(storeId: string, change: Change<Result | Refusal>, limits = noLimits): Promise<Result> {
    return new Promise<Result | Refusal>((resolve, reject) => {
      // The cast is safe: each entry's `resolve` receives only the result of the entry's own change.
      this.#add(storeId, {
        change: withTrace(change, recordedTraceparent()),
        limits,
        resolve: (result) => resolve(result as Result),
        reject,
      });
    }).then(unwrap);
  }

  #add(storeId: string, pending: PendingChange): void {
    const { deadline, signal } = pending.limits;
    const now = this.#clock.now();
    const queue = this.#queues.get(storeId) ?? new PendingChanges();
    const left = remainingTime(deadline, now, signal);
    if (typeof left === "string") this.#drop(pending, left);
    else if (!this.#makeRoom(queue, pending, now)) this.#drop(pending, "queue_full");
    else if (this.#queues.has(storeId) && now + this.#expectedMs(queue) > deadline) this.#drop(pending, "deadline");
    else {
      queue.add(pending);
      if (this.#queues.has(storeId)) return;
      this.#queues.set(storeId, queue);
      void this.#drain(storeId, queue);
    }
  }

  #makeRoom(queue: PendingChanges, pending: PendingChange, now: number): boolean {
    if (this.#hasRoom(queue, pending)) return true;
    if (now - this.#clearedAt < clearIntervalMs) return false;
    this.#clearedAt = now;
    for (const other of this.#queues.values()) other.dropUseless(now, this.#drop);
    return this.#hasRoom(queue, pending);
  }

  // With the new change, the store's waiting changes must not need more timestamps than are free now. Small changes of
  // one store therefore use at most half of the timestamps; the rest remains for stores whose queues are empty.
  #hasRoom(queue: PendingChanges, pending: PendingChange): boolean {
    const free = this.#maxTotalTimestamps - this.#waitingTimestamps();
    const maxTimestamps = Math.min(this.#bounds.maxTimestamps, free);
    return pending.change.maxTimestamps <= free && queue.hasRoomFor(pending, { ...this.#bounds, maxTimestamps });
  }

  /** Estimates how many milliseconds the transactions up to and including that of a newly added change will take. */
  #expectedMs(queue: PendingChanges): number {
    const transactions = 1 + Math.ceil((queue.timestamps + 1) / this.#maxGroupTimestamps);
    return transactions * queue.transactionTime.expectedMs;
  }

  async #drain(storeId: string, queue: PendingChanges): Promise<void> {
    // Yields, so that changes submitted in the same synchronous run join the first group.
    await Promise.resolve();
    let enoughTimestamps = Number.POSITIVE_INFINITY;
    while (queue.size > 0)
      enoughTimestamps = await this.#places.run(storeId, (aroundPause) =>
        this.#commitNext(storeId, queue, { enoughTimestamps, aroundPause }),
      );
    this.#queues.delete(storeId);
  }

  /** Commits the next group. @returns the `enoughTimestamps` of the transaction that follows */
  async #commitNext(storeId: string, queue: PendingChanges, how: Attempts): Promise<number> {
    const now = this.#clock.now();
    const at = { now, expectedMs: queue.transactionTime.expectedMs };
    const group = queue.takeGroup(this.#maxGroupTimestamps, at, this.#drop);
    if (group.length === 0) return Number.POSITIVE_INFINITY;
    const unfinished = await this.#commitGroup(storeId, group, {
      enoughTimestamps: how.enoughTimestamps,
      timeLimitMs: Math.max(...group.map(({ limits }) => limits.deadline)) - now,
      aroundPause: (pause) => this.#pause(group, () => how.aroundPause(pause)),
    });
    queue.transactionTime.observe(this.#clock.now() - now);
    queue.putBack(unfinished);
    return unfinished.length > 0 ? enoughForLaterParts : Number.POSITIVE_INFINITY;
  }

  /** Commits a group and settles the changes that are complete. @returns the others, without their committed parts */
  async #commitGroup(
    storeId: string,
    group: readonly PendingChange[],
    options: CommitOptions,
  ): Promise<readonly PendingChange[]> {
    try {
      const changes = group.map(({ change }) => change);
      // The transaction belongs to the trace of its first traced change; the traces of the others are linked.
      const [parent = "", ...links] = changes.flatMap(({ traceparent }) => traceparent || []);
      const results = await inChildSpan("commit changes", { parent, links }, () =>
        this.#ledger.commit(storeId, changes, options),
      );
      return [...group.slice(results.length), ...settle(group.slice(0, results.length), results)];
    } catch (error) {
      if (error instanceof EventTooLarge && group.length > 1) return this.#commitOneByOne(storeId, group, options);
      for (const pending of group) pending.reject(error);
      return [];
    }
  }

  /** Commits the changes of a group one by one, so that an event that is too large fails only its own change. */
  async #commitOneByOne(storeId: string, group: readonly PendingChange[], options: CommitOptions) {
    const unfinished: PendingChange[] = [];
    for (const pending of group) {
      const timeLimitMs = pending.limits.deadline - this.#clock.now();
      unfinished.push(...(await this.#commitGroup(storeId, [pending], { ...options, timeLimitMs })));
    }
    return unfinished;
  }

  async #pause(group: readonly PendingChange[], pause: () => Promise<void>): Promise<void> {
    this.#pausing.add(group);
    try {
      await pause();
    } finally {
      this.#pausing.delete(group);
    }
  }

  readonly #drop = (pending: PendingChange, reason: ShedReason): void => {
    this.#onShed(reason);
    pending.reject(new LoadShedError(reason));
  };

  #waitingTimestamps(): number {
    const queued = this.#queues.values().reduce((total, { timestamps }) => total + timestamps, 0);
    return this.#pausing.values().reduce((total, group) => total + timestampsOf(group), queued);
  }
}

interface Attempts {
  readonly enoughTimestamps: number;
  readonly aroundPause: AroundPause;
}

function withTrace<Result>(change: Change<Result>, traceparent = ""): Change<Result> {
  return traceparent === "" ? change : { ...change, traceparent };
}

/** Resolves the changes whose result is complete. @returns the change that was committed in part, if any */
function settle(committed: readonly PendingChange[], results: readonly unknown[]): PendingChange[] {
  return committed.flatMap((pending, index) => {
    const result = results[index];
    if (!(result instanceof PartialResult)) {
      pending.resolve(result);
      return [];
    }
    const rest = pending.change.continueFrom?.(result.soFar) ?? pending.change;
    return [{ ...pending, change: withTrace(rest, pending.change.traceparent), isBegun: true }];
  });
}
