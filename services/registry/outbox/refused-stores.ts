// Long enough that a log line for each refusal does no harm, short enough that events are published soon after an
// operator has granted the missing permission.
const retryAfterMs = 10_000;

/** Stores with an event that NATS refuses for now; the relay tries to publish their events again after a pause. */
export class RefusedStores {
  readonly #retryAt = new Map<string, number>();

  /** @param now monotonic time, in milliseconds */
  add(storeId: string, now: number): void {
    if (!this.#retryAt.has(storeId)) this.#retryAt.set(storeId, now + retryAfterMs);
  }

  /** Removes and returns the stores whose pause has passed. */
  takeDue(now: number): string[] {
    const due = [...this.#retryAt].flatMap(([storeId, at]) => (at <= now ? [storeId] : []));
    for (const storeId of due) this.#retryAt.delete(storeId);
    return due;
  }
}
