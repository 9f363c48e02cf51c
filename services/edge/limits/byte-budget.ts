/** A limit in a {@link ByteBudget}. */
export interface ByteShare {
  /** All bytes taken with this key count towards the same limit. */
  readonly key: string;
  readonly bytesMax: number;
}

/** A memory budget. Bytes count against one or more shares, and are refused if a share would exceed its limit. */
export class ByteBudget {
  readonly #used = new Map<string, number>();

  /** Counts bytes against all shares. @returns false, without counting them, if a share would exceed its limit */
  take(shares: readonly ByteShare[], bytes: number): boolean {
    if (shares.some(({ key, bytesMax }) => this.#usedOf(key) + bytes > bytesMax)) return false;
    for (const { key } of shares) this.#used.set(key, this.#usedOf(key) + bytes);
    return true;
  }

  /** Releases bytes that were taken from the same shares. */
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
