import type { Clock } from "../time/clock.ts";
import { waitAtMost } from "../time/wait-at-most.ts";
import { type CapturedTrace, captureTrace, noTrace } from "../trace/spans.ts";

/** Sends a batch. Returns one output per item, in order, or fails for the whole batch. */
type RunBatch<I, O> = (items: readonly I[]) => Promise<readonly O[]>;

interface QueuedItem<I, O> {
  readonly item: I;
  readonly trace: CapturedTrace;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

interface BatcherOptions {
  /** Maximum number of items in a batch. Default 500. */
  readonly batchMax?: number;
  /** Maximum number of concurrent batches. Default 1. */
  readonly concurrencyMax?: number;
  /** How long a batch counts as in flight. Default: until it ends. */
  readonly slot?: BatcherSlot;
  /** Maximum rate at which batches start. Default unlimited. */
  readonly pace?: BatcherPace;
}

/** Limits how long a batch counts as in flight; a batch that takes longer still runs to its end. */
interface BatcherSlot {
  readonly limitMs: number;
  /** Monotonic clock. */
  readonly clock: Pick<Clock, "sleep">;
}

/**
 * The rate at which a batcher starts batches: one per interval. Unused intervals accumulate, so that up to `burst`
 * batches may start without a wait: a token bucket, but one that batches wait for and charge by their size.
 */
interface BatcherPace {
  /** Lower limit of the interval. */
  readonly intervalMs: number;
  /**
   * Interval per item of a batch: n items are followed by an interval of n times this duration, within the limits.
   * Batches therefore grow while more than one item arrives per `intervalPerItemMs`. Default 0.
   */
  readonly intervalPerItemMs?: number;
  /** Upper limit of the interval. Default: `intervalMs`. */
  readonly intervalMaxMs?: number;
  readonly burst: number;
  /** Monotonic clock. */
  readonly clock: Clock;
}

/**
 * Combines concurrent calls for single items into batches (group commit). Items queue while the maximum number of
 * batches is in flight or the pace allows no new batch. Without load, an item is sent at the end of the current turn of
 * the event loop. A batch belongs to the trace of its first traced item.
 */
export class Batcher<I, O> {
  readonly #runBatch: RunBatch<I, O>;
  readonly #options: BatcherOptions;
  readonly #queue: QueuedItem<I, O>[] = [];
  #inFlight = 0;
  // When the next batch is due if batches start at the maximum rate.
  #dueAt = Number.NEGATIVE_INFINITY;
  #isCollecting = false;

  constructor(runBatch: RunBatch<I, O>, options: BatcherOptions = {}) {
    this.#runBatch = runBatch;
    this.#options = options;
  }

  /** Returns the output for the item. @throws the error of its batch; other batches are not affected */
  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, trace: captureTrace(), resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    const { batchMax = 500, concurrencyMax = 1 } = this.#options;
    if (this.#isCollecting || this.#inFlight >= concurrencyMax || this.#queue.length === 0) return;
    this.#isCollecting = true;
    // Items that are added in the same turn of the event loop join the batch.
    setImmediate(async () => {
      this.#inFlight++;
      const batch = this.#queue.splice(0, batchMax);
      void this.#holdSlot(this.#settle(batch)).then(() => {
        this.#inFlight--;
        this.#send();
      });
      await this.#keepPace(batch.length);
      this.#isCollecting = false;
      this.#send();
    });
  }

  async #holdSlot(settled: Promise<void>): Promise<void> {
    const { slot } = this.#options;
    if (slot === undefined) return settled;
    await waitAtMost(settled, slot.limitMs, slot.clock);
  }

  async #keepPace(items: number): Promise<void> {
    if (this.#options.pace === undefined) return;
    const { intervalMs, intervalPerItemMs = 0, intervalMaxMs = intervalMs, burst, clock } = this.#options.pace;
    const now = clock.now();
    const accumulatedMax = (burst - 1) * intervalMs;
    const usedMs = Math.min(intervalMaxMs, Math.max(intervalMs, items * intervalPerItemMs));
    this.#dueAt = Math.max(this.#dueAt, now) + usedMs;
    const waitMs = this.#dueAt - accumulatedMax - now;
    if (waitMs > 0) await clock.sleep(waitMs);
  }

  async #settle(batch: readonly QueuedItem<I, O>[]): Promise<void> {
    try {
      const { run } = batch.find(({ trace }) => trace.isRecorded)?.trace ?? noTrace;
      const outputs = await run(() => this.#runBatch(batch.map(({ item }) => item)));
      if (outputs.length !== batch.length)
        throw new Error(`the batch of ${batch.length} items returned ${outputs.length} outputs`);
      batch.forEach(({ resolve }, index) => {
        resolve(outputs[index] as O);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
