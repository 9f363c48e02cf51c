import { addAbortListener } from "node:events";

/** A latch that can be opened and closed repeatedly: `whenOpen()` waits while it is closed. Closed initially. */
export class Latch {
  readonly #waiters = new Set<() => void>();
  #isOpen = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
  }

  /** Closes the latch: later calls to `whenOpen()` wait again. */
  close(): void {
    this.#isOpen = false;
  }

  /** Resolves when the latch opens or the signal aborts. Never rejects. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    if (this.#isOpen || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    using _ = addAbortListener(signal, () => {
      this.#waiters.delete(resolve);
      resolve();
    });
    this.#waiters.add(resolve);
    await promise;
  }
}
