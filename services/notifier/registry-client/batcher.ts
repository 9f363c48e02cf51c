import type { Clock } from "#shared/time/clock.ts";

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
  /** The least time between the beginnings of two batches, in milliseconds. Default 0. */
  readonly intervalMs?: number;
  readonly clock: Clock;
}

/**
 * Makes batches of single items: while one batch is out, or the interval is not over, the next one collects. Without load
 * an item goes alone, at once.
 */
export class Batcher<I, O> {
  readonly #runBatch: RunBatch<I, O>;
  readonly #batchMax: number;
  readonly #intervalMs: number;
  readonly #clock: Clock;
  readonly #waiting: Waiting<I, O>[] = [];
  #isOut = false;

  constructor(runBatch: RunBatch<I, O>, { batchMax = 500, intervalMs = 0, clock }: BatcherOptions) {
    this.#runBatch = runBatch;
    this.#batchMax = batchMax;
    this.#intervalMs = intervalMs;
    this.#clock = clock;
  }

  /** The item's own answer. @throws what the batch that held it failed with; other batches are not affected */
  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    if (this.#isOut || this.#waiting.length === 0) return;
    this.#isOut = true;
    // What arrives in the same turn of the event loop goes with the first batch.
    setImmediate(async () => {
      const batch = this.#waiting.splice(0, this.#batchMax);
      const intervalOver = this.#intervalMs > 0 && this.#clock.sleep(this.#intervalMs);
      await this.#settle(batch);
      await intervalOver;
      this.#isOut = false;
      this.#send();
    });
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
