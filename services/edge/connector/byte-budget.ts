/** A share of a {@link ByteBudget}. */
export interface ByteShare {
  /** Identifies the share; uses with the same key count together. */
  readonly key: string;
  readonly bytesMax: number;
}

/** Counts bytes in use. Each use counts against all of its shares, and needs room in each of them. */
export class ByteBudget {
  readonly #used = new Map<string, number>();

  /** Adds bytes to all shares, or to none. @returns false if a share has no room for them */
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
