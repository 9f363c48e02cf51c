import type { Semaphore } from "./semaphore.ts";

/** A message's slot of the pool: held while the message is worked on, given back while it waits for its turn. */
export class MessageSlot {
  readonly #pool: Semaphore;
  #isHeld = true;

  /** For a slot that was reserved before. */
  constructor(pool: Semaphore) {
    this.#pool = pool;
  }

  /** Gives the slot back; does nothing when that was done already. */
  giveBack(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#pool.release(1);
  }

  /** Waits until the message has a slot again. @returns false when the signal aborts before */
  async take(signal: AbortSignal): Promise<boolean> {
    this.#isHeld ||= (await this.#pool.reserve(1, signal)) > 0;
    return this.#isHeld;
  }
}
