/** A bounded FIFO buffer of rows, released by key. */
export class HeldRows<Row> {
  readonly #entries = new Set<{ readonly key: string; readonly row: Row }>();
  readonly #rowsByKey = new Map<string, { readonly key: string; readonly row: Row }[]>();
  readonly #rowsMax: number;

  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax;
  }

  /** Adds a row. Returns the oldest row, whatever its key, if it was evicted to make room, otherwise null. */
  hold(key: string, row: Row): Row | null {
    const entry = { key, row };
    this.#entries.add(entry);
    const ofKey = this.#rowsByKey.get(key);
    if (ofKey === undefined) this.#rowsByKey.set(key, [entry]);
    else ofKey.push(entry);
    return this.#entries.size > this.#rowsMax ? this.#evictOldest() : null;
  }

  /** Removes and returns the rows of a key in FIFO order. */
  release(key: string): Row[] {
    const released = this.#rowsByKey.get(key) ?? [];
    this.#rowsByKey.delete(key);
    for (const entry of released) this.#entries.delete(entry);
    return released.map(({ row }) => row);
  }

  /** Removes and returns all rows in FIFO order. */
  releaseAll(): Row[] {
    const rows = [...this.#entries].map(({ row }) => row);
    this.#entries.clear();
    this.#rowsByKey.clear();
    return rows;
  }

  #evictOldest(): Row | null {
    const [oldest] = this.#entries;
    if (oldest === undefined) return null;
    this.#entries.delete(oldest);
    const ofKey = this.#rowsByKey.get(oldest.key);
    ofKey?.shift();
    if (ofKey?.length === 0) this.#rowsByKey.delete(oldest.key);
    return oldest.row;
  }
}
