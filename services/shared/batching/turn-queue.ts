/**
 * Collects the items added in one turn of the event loop, and passes them on together, in order, at the turn's end. Not
 * a Batcher: the items have no outputs, and do not wait for earlier ones.
 */
export class TurnQueue<T> {
  readonly #send: (items: readonly [T, ...T[]]) => void;
  #items: T[] = [];

  /** @param send must not throw */
  constructor(send: (items: readonly [T, ...T[]]) => void) {
    this.#send = send;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length === 1) setImmediate(() => this.flush());
  }

  /** Passes the collected items on immediately. Does nothing if there are none. */
  flush(): void {
    const [first, ...others] = this.#items;
    if (first === undefined) return;
    this.#items = [];
    this.#send([first, ...others]);
  }
}
