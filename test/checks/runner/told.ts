/** A change that a writer was told of, as a definite answer. */
export interface ToldChange {
  readonly certificateId: string;
  /** Undefined where the answer does not tell it. */
  readonly updatedAt?: string;
}

/** Everything that all writers were told: none of it may be gone in the end. */
export class Told {
  readonly #changes = new Map<string, ToldChange[]>();
  #count = 0;

  /** How many changes. */
  get count(): number {
    return this.#count;
  }

  /** The changes of each store. */
  get changes(): ReadonlyMap<string, readonly ToldChange[]> {
    return this.#changes;
  }

  add(storeId: string, changes: readonly ToldChange[]): void {
    this.#count += changes.length;
    const known = this.#changes.get(storeId) ?? [];
    this.#changes.set(storeId, known);
    known.push(...changes);
  }
}
