/** Runs jobs of one key strictly one after the other, in the order they came; jobs of different keys side by side. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Keys that have a job running or waiting. */
  get size(): number {
    return this.#last.size;
  }

  /** Whether the key has a job running or waiting. */
  has(key: string): boolean {
    return this.#last.has(key);
  }

  /** The job's own result or error; an error does not stop the jobs behind it. */
  run<T>(key: string, job: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before === undefined ? job() : before.then(job);
    const forget = () => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    };
    const settled: Promise<void> = result.then(forget, forget);
    this.#last.set(key, settled);
    return result;
  }
}
