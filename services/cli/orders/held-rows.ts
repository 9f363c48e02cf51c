/** A bounded waiting room, first in, first out over all keys. */
export class HeldRows<Row> {
  readonly #rows = new Map<number, { readonly key: string; readonly row: Row }>();
  readonly #numbers = new Map<string, number[]>();
  readonly #rowsMax: number;
  #next = 0;

  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax;
  }

  /** Lets a row wait for its key. Returns the row that had waited longest and had to go for it; null for none. */
  hold(key: string, row: Row): Row | null {
    this.#rows.set(this.#next, { key, row });
    const numbers = this.#numbers.get(key);
    if (numbers === undefined) this.#numbers.set(key, [this.#next]);
    else numbers.push(this.#next);
    this.#next += 1;
    return this.#rows.size > this.#rowsMax ? this.#dropOldest() : null;
  }

  /** Takes the rows that wait for the key, in the order in which they came. */
  release(key: string): Row[] {
    const numbers = this.#numbers.get(key) ?? [];
    this.#numbers.delete(key);
    return numbers.flatMap((number) => this.#takeOut(number) ?? []);
  }

  /** Takes all rows, in the order in which they came. */
  releaseAll(): Row[] {
    const rows = [...this.#rows.values()].map(({ row }) => row);
    this.#rows.clear();
    this.#numbers.clear();
    return rows;
  }

  #dropOldest(): Row | null {
    for (const [number, { key }] of this.#rows) {
      const numbers = this.#numbers.get(key);
      numbers?.shift();
      if (numbers?.length === 0) this.#numbers.delete(key);
      return this.#takeOut(number);
    }
    return null;
  }

  #takeOut(number: number): Row | null {
    const held = this.#rows.get(number);
    this.#rows.delete(number);
    return held?.row ?? null;
  }
}
