/** Counts occurrences by name. */
export class Counter {
  readonly #counts = new Map<string, number>();

  /** Counts the occurrences of each name. */
  static of(names: Iterable<string>): Counter {
    const counter = new Counter();
    for (const name of names) counter.add(name);
    return counter;
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Returns the names that have been counted. */
  names(): IterableIterator<string> {
    return this.#counts.keys();
  }

  /** Returns text such as `a 3, b 1`, sorted by name; `none` if nothing has been counted. */
  toString(): string {
    const entries = [...this.#counts].sort(([a], [b]) => a.localeCompare(b));
    return entries.map(([name, count]) => `${name} ${count}`).join(", ") || "none";
  }
}
