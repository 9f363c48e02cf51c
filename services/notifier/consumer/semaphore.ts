import { addAbortListener } from "node:events";

interface Waiter {
  readonly countMax: number;
  readonly resolve: (acquired: number) => void;
}

/**
 * A counting semaphore with FIFO waiters. Its slots limit the number of messages requested or in delivery. A pull
 * acquires a slot for each message that it requests, so a requested message has a slot when it arrives. A message that
 * had to wait for its store reacquires a slot in the same queue as the pulls. Not Places: a pull takes several slots at
 * once, and an unexpected message one that is not free.
 */
export class Semaphore {
  #free: number;
  readonly #waiters = new Set<Waiter>();

  constructor(total: number) {
    this.#free = total;
  }

  /** Free slots; may be negative after {@link forceAcquire}. */
  get free(): number {
    return this.#free;
  }

  /**
   * Acquires up to `countMax` slots; waits until at least one is free.
   *
   * @returns the number of acquired slots: at least 1, or 0 if the signal aborts first
   */
  async acquire(countMax: number, signal: AbortSignal): Promise<number> {
    if (signal.aborted) return 0;
    const { promise, resolve } = Promise.withResolvers<number>();
    const waiter = { countMax, resolve };
    using _ = addAbortListener(signal, () => {
      this.#waiters.delete(waiter);
      resolve(0);
    });
    this.#waiters.add(waiter);
    this.#serve();
    return await promise;
  }

  release(count: number): void {
    this.#free += count;
    this.#serve();
  }

  /** Acquires a slot even if none is free: for a message that arrives while no request is open. */
  forceAcquire(): void {
    this.#free--;
  }

  #serve(): void {
    for (const waiter of this.#waiters) {
      if (this.#free <= 0) return;
      this.#waiters.delete(waiter);
      const acquired = Math.min(waiter.countMax, this.#free);
      this.#free -= acquired;
      waiter.resolve(acquired);
    }
  }
}
