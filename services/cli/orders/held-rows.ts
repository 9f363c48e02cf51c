/** A bounded FIFO buffer of rows, released by key. */
export class HeldRows<Row> {
  readonly #rows = new Map<number, { readonly key: string; readonly row: Row }>();
  readonly #numbers = new Map<string, number[]>();
  readonly #rowsMax: number;
  #next = 0;

  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax;
  }

  /** Adds a row. Returns the oldest row of any key if it was evicted to make room, otherwise null. */
  hold(key: string, row: Row): Row | null {
    this.#rows.set(this.#next, { key, row });
    const numbers = this.#numbers.get(key);
    if (numbers === undefined) this.#numbers.set(key, [this.#next]);
    else numbers.push(this.#next);
    this.#next += 1;
    return this.#rows.size > this.#rowsMax ? this.#evictOldest() : null;
  }

  /** Removes and returns the rows of a key in FIFO order. */
  release(key: string): Row[] {
    const numbers = this.#numbers.get(key) ?? [];
    this.#numbers.delete(key);
    return numbers.flatMap((number) => this.#remove(number) ?? []);
  }

  /** Removes and returns all rows in FIFO order. */
  releaseAll(): Row[] {
    const rows = [...this.#rows.values()].map(({ row }) => row);
    this.#rows.clear();
    this.#numbers.clear();
    return rows;
  }

  #evictOldest(): Row | null {
    for (const [number, { key }] of this.#rows) {
      const numbers = this.#numbers.get(key);
      numbers?.shift();
      if (numbers?.length === 0) this.#numbers.delete(key);
      return this.#remove(number);
    }
    return null;
  }

  #remove(number: number): Row | null {
    const held = this.#rows.get(number);
    this.#rows.delete(number);
    return held?.row ?? null;
  }
}
