/** Counts what each store has in hand and says when it is enough. */
export class StoreLoad {
  readonly #perStoreMax: number;
  readonly #counts = new Map<string, number>();

  constructor(perStoreMax: number) {
    this.#perStoreMax = perStoreMax;
  }

  /** Counts one more of the store. @returns false, without counting, where it has its share already */
  enter(storeId: string): boolean {
    const count = this.#counts.get(storeId) ?? 0;
    if (count >= this.#perStoreMax) return false;
    this.#counts.set(storeId, count + 1);
    return true;
  }

  /** Counts one less of the store. */
  leave(storeId: string): void {
    const count = this.#counts.get(storeId) ?? 0;
    if (count > 1) this.#counts.set(storeId, count - 1);
    else this.#counts.delete(storeId);
  }
}
