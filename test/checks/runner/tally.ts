/** Counts things by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  /** How often each name is among them. */
  static of(names: Iterable<string>): Tally {
    const tally = new Tally();
    for (const name of names) tally.add(name);
    return tally;
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** `a 3, b 1`, by name; `none` when nothing was counted. */
  toString(): string {
    const entries = [...this.#counts].sort(([a], [b]) => a.localeCompare(b));
    return entries.map(([name, count]) => `${name} ${count}`).join(", ") || "none";
  }
}
