import { backOffMs } from "../retry/back-off.ts";
import type { Clock } from "../time/clock.ts";
import { Loop } from "./loop.ts";

interface RetryQueueOptions<T> {
  /** Tries items. Resolves to the items to retry; rejects to retry all. Must settle promptly when the signal aborts. */
  readonly attempt: (items: readonly T[], signal: AbortSignal) => Promise<readonly T[]>;
  /** Monotonic clock. */
  readonly clock: Clock;
  /** Maximum age of an item, in milliseconds. An item that would reach this age before a retry is dropped. */
  readonly lifeMs: number;
  /** Maximum number of items; further items are dropped on arrival. Default 10,000. */
  readonly itemsMax?: number;
  /** Maximum number of items in one attempt. Default 500. */
  readonly batchMax?: number;
  /** Called when items are dropped because they are too old, or because the queue is full or has been stopped. */
  readonly onDropped?: (items: readonly T[]) => void;
}

interface Entry<T> {
  readonly item: T;
  readonly endsAt: number;
  readonly dueAt: number;
  readonly attempts: number;
}

const stopTimeLimitMs = 5_000;
const firstPauseMs = 500;
const pauseMaxMs = 16_000;

/**
 * Tries items in the background until they succeed or are too old: immediately, then with exponential backoff. Runs one
 * attempt at a time, with up to `batchMax` of the items that are due. Items are in memory only: a crash loses them.
 */
export class RetryQueue<T> {
  readonly #options: RetryQueueOptions<T>;
  readonly #loop: Loop;
  // Aborts when stopping takes too long.
  readonly #outOfTime = new AbortController();
  #entries: Entry<T>[] = [];
  #inAttempt = 0;

  constructor(options: RetryQueueOptions<T>) {
    this.#options = options;
    this.#loop = new Loop({ clock: options.clock, step: () => this.#step() });
  }

  /** The number of items that are waiting or in the current attempt. */
  get size(): number {
    return this.#entries.length + this.#inAttempt;
  }

  /** Adds an item, unless the queue is full or stopped, and tries the item as soon as no other attempt is running. */
  add(item: T): void {
    const { clock, lifeMs, itemsMax = 10_000, onDropped } = this.#options;
    if (this.size >= itemsMax || this.#loop.stopping.aborted) {
      onDropped?.([item]);
      return;
    }
    const now = clock.now();
    this.#entries.push({ item, endsAt: now + lifeMs, dueAt: now, attempts: 0 });
    this.#loop.start();
    this.#loop.wake();
  }

  /** Tries every item once more and drops those that fail. After five seconds, drops all remaining items. */
  async stop(): Promise<void> {
    const { clock, onDropped } = this.#options;
    const done = new AbortController();
    void clock.sleep(stopTimeLimitMs, done.signal).then(() => this.#outOfTime.abort());
    await this.#loop.stop();
    while (this.#entries.length > 0 && !this.#outOfTime.signal.aborted)
      await this.#try(this.#takeDue(Number.POSITIVE_INFINITY), true);
    done.abort();
    const dropped = this.#entries.splice(0);
    if (dropped.length > 0) onDropped?.(dropped.map(({ item }) => item));
  }

  /** @returns the time until the next item is due, in milliseconds */
  async #step(): Promise<number> {
    const now = this.#options.clock.now();
    const due = this.#takeDue(now);
    if (due.length === 0) return Math.min(...this.#entries.map(({ dueAt }) => dueAt)) - now;
    await this.#try(due, false);
    return 0;
  }

  #takeDue(now: number): Entry<T>[] {
    const due = this.#entries.filter(({ dueAt }) => dueAt <= now).slice(0, this.#options.batchMax ?? 500);
    const taken = new Set(due);
    this.#entries = this.#entries.filter((entry) => !taken.has(entry));
    return due;
  }

  async #try(entries: readonly Entry<T>[], isLast: boolean): Promise<void> {
    const { attempt, clock, onDropped } = this.#options;
    const items = entries.map(({ item }) => item);
    this.#inAttempt = items.length;
    const again = new Set(await attempt(items, this.#outOfTime.signal).catch(() => items));
    this.#inAttempt = 0;
    const now = clock.now();
    // One for all, so that items that failed together are due together.
    const drawn = Math.random();
    const retried = entries
      .filter(({ item }) => again.has(item))
      .map((entry) => ({
        ...entry,
        attempts: entry.attempts + 1,
        dueAt: now + backOffMs(entry.attempts, firstPauseMs, pauseMaxMs, drawn),
      }));
    const kept = isLast ? [] : retried.filter(({ dueAt, endsAt }) => dueAt < endsAt);
    const dropped = retried.filter((entry) => !kept.includes(entry));
    if (dropped.length > 0) onDropped?.(dropped.map(({ item }) => item));
    this.#entries.push(...kept);
  }
}
