interface Waiting {
  readonly wanted: number;
  readonly resolve: (reserved: number) => void;
}

/**
 * The slots for deliveries under way. A pull reserves the slots of what it asks for, so no message comes without one; a
 * message that had to wait asks for one again, in one line with the pulls.
 */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<Waiting>();

  constructor(total: number) {
    this.#free = total;
  }

  /** Slots that are neither reserved nor used. Below zero after {@link forceAcquire}. */
  get free(): number {
    return this.#free;
  }

  /**
   * Reserves up to so many slots, waiting for the first of them in the order of asking.
   *
   * @returns how many; at least 1, or 0 once the signal has aborted
   */
  reserve(wanted: number, signal: AbortSignal): Promise<number> {
    if (signal.aborted) return Promise.resolve(0);
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#waiting.delete(waiting);
        resolve(0);
      };
      const settle = (reserved: number) => {
        signal.removeEventListener("abort", onAbort);
        resolve(reserved);
      };
      const waiting: Waiting = { wanted, resolve: settle };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(waiting);
      this.#serve();
    });
  }

  /** Gives slots back. */
  release(count: number): void {
    this.#free += count;
    this.#serve();
  }

  /** Takes a slot that may not be there: for a message that arrives though nobody waits for it any more. */
  forceAcquire(): void {
    this.#free--;
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      if (this.#free <= 0) return;
      this.#waiting.delete(waiting);
      const reserved = Math.min(waiting.wanted, this.#free);
      this.#free -= reserved;
      waiting.resolve(reserved);
    }
  }
}
