/** Counts things by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** `a 3, b 1`, by name; `none` when nothing was counted. */
  toString(): string {
    const entries = [...this.#counts].sort(([a], [b]) => a.localeCompare(b));
    return entries.map(([name, count]) => `${name} ${count}`).join(", ") || "none";
  }
}
