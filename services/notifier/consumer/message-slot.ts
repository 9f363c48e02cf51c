import type { Semaphore } from "./semaphore.ts";

/**
 * A message's semaphore slot: held during processing, released while the message waits for its store. Releasing a
 * released slot or reacquiring a held slot has no effect.
 */
export class MessageSlot {
  readonly #semaphore: Semaphore;
  #isHeld = true;

  /** Takes over a slot that is already acquired. */
  constructor(semaphore: Semaphore) {
    this.#semaphore = semaphore;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#semaphore.release(1);
  }

  /** Waits until the message holds a slot again. @returns false if the signal aborts first */
  async reacquire(signal: AbortSignal): Promise<boolean> {
    this.#isHeld ||= (await this.#semaphore.acquire(1, signal)) > 0;
    return this.#isHeld;
  }
}
