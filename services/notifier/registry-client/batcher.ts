/** Sends a batch; answers once for each item, in order, or fails as a whole. */
export type RunBatch<I, O> = (items: readonly I[]) => Promise<readonly O[]>;

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes batches of single items: while one batch is out the next one collects. Without load an item goes alone, at once. */
export class Batcher<I, O> {
  readonly #runBatch: RunBatch<I, O>;
  readonly #batchMax: number;
  readonly #waiting: Waiting<I, O>[] = [];
  #isOut = false;

  /** @param batchMax items in one batch; default 500 */
  constructor(runBatch: RunBatch<I, O>, batchMax = 500) {
    this.#runBatch = runBatch;
    this.#batchMax = batchMax;
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
      await this.#settle(batch);
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
