/** A limit on the bytes with the same key in a {@link ByteBudget}. */
export interface ByteShare {
  /** All bytes with this key count together. */
  readonly key: string;
  readonly bytesMax: number;
}

/** A memory budget. Bytes count against one or more shares, and are refused if a share would exceed its limit. */
export class ByteBudget {
  readonly #used = new Map<string, number>();

  /** Adds bytes to all shares, or to none. @returns false if a share would exceed its limit */
  take(shares: readonly ByteShare[], bytes: number): boolean {
    if (shares.some(({ key, bytesMax }) => this.#usedOf(key) + bytes > bytesMax)) return false;
    for (const { key } of shares) this.#used.set(key, this.#usedOf(key) + bytes);
    return true;
  }

  /** Removes bytes from all shares. */
  giveBack(shares: readonly ByteShare[], bytes: number): void {
    for (const { key } of shares) {
      const left = this.#usedOf(key) - bytes;
      if (left > 0) this.#used.set(key, left);
      else this.#used.delete(key);
    }
  }

  #usedOf(key: string): number {
    return this.#used.get(key) ?? 0;
  }
}
