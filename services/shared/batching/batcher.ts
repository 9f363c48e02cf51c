import type { Clock } from "../time/clock.ts";

/** Sends a batch; answers once for each item, in order, or fails as a whole. */
export type RunBatch<I, O> = (items: readonly I[]) => Promise<readonly O[]>;

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/** How batches are made. */
export interface BatcherOptions {
  /** Items in one batch. Default 500. */
  readonly batchMax?: number;
  /** Batches that are out at the same time. Default 1. */
  readonly outMax?: number;
  /** How often a batch may begin. Default as often as may be. */
  readonly pace?: Pace;
}

/** One batch every so many milliseconds; what was not used is saved up, and up to `burst` batches then begin without a wait. */
export interface Pace {
  readonly intervalMs: number;
  /** 1: nothing is saved up. */
  readonly burst: number;
  /** For durations: it never goes back. */
  readonly clock: Clock;
}

/**
 * Makes batches of single items: while as many batches are out as may be, or the pace has no room, the next one
 * collects. Without load an item goes alone, at once.
 */
export class Batcher<I, O> {
  readonly #runBatch: RunBatch<I, O>;
  readonly #options: BatcherOptions;
  readonly #waiting: Waiting<I, O>[] = [];
  #out = 0;
  // When the next batch is due if one begins in every interval.
  #dueAt = Number.NEGATIVE_INFINITY;
  #isCollecting = false;

  constructor(runBatch: RunBatch<I, O>, options: BatcherOptions = {}) {
    this.#runBatch = runBatch;
    this.#options = options;
  }

  /** The item's own answer. @throws what the batch that held it failed with; other batches are not affected */
  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    const { batchMax = 500, outMax = 1 } = this.#options;
    if (this.#isCollecting || this.#out >= outMax || this.#waiting.length === 0) return;
    this.#isCollecting = true;
    // What arrives in the same turn of the event loop goes with the first batch.
    setImmediate(async () => {
      this.#out++;
      void this.#settle(this.#waiting.splice(0, batchMax)).then(() => {
        this.#out--;
        this.#send();
      });
      await this.#keepPace();
      this.#isCollecting = false;
      this.#send();
    });
  }

  async #keepPace(): Promise<void> {
    if (this.#options.pace === undefined) return;
    const { intervalMs, burst, clock } = this.#options.pace;
    const now = clock.now();
    const savedMax = (burst - 1) * intervalMs;
    this.#dueAt = Math.max(this.#dueAt, now) + intervalMs;
    const waitMs = this.#dueAt - savedMax - now;
    if (waitMs > 0) await clock.sleep(waitMs);
  }

  async #settle(batch: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const outputs = await this.#runBatch(batch.map(({ item }) => item));
      if (outputs.length !== batch.length)
        throw new Error("a batch was answered with another number of items");
      batch.forEach(({ resolve }, index) => {
        resolve(outputs[index] as O);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
