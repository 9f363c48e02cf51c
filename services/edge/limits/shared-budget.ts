/** A limit in a {@link SharedBudget}. */
export interface BudgetShare {
  /** Everything taken with this key counts towards the same limit. */
  readonly key: string;
  readonly max: number;
}

/**
 * A budget of bytes or places. What is taken counts against one or more shares, and is refused if a share would exceed
 * its limit.
 */
export class SharedBudget {
  readonly #used = new Map<string, number>();

  /** Counts an amount against all shares. @returns false, without counting it, if a share would exceed its limit */
  take(shares: readonly BudgetShare[], amount: number): boolean {
    if (!this.hasRoom(shares, amount)) return false;
    for (const { key } of shares) this.#used.set(key, this.#usedOf(key) + amount);
    return true;
  }

  /** Returns whether {@link take} would succeed. */
  hasRoom(shares: readonly BudgetShare[], amount: number): boolean {
    return shares.every(({ key, max }) => this.#usedOf(key) + amount <= max);
  }

  /** Releases an amount that was taken from the same shares. */
  giveBack(shares: readonly BudgetShare[], amount: number): void {
    for (const { key } of shares) {
      const left = this.#usedOf(key) - amount;
      if (left > 0) this.#used.set(key, left);
      else this.#used.delete(key);
    }
  }

  /** Returns the budget of these shares. */
  roomIn(shares: readonly BudgetShare[]) {
    return {
      take: (amount: number) => this.take(shares, amount),
      giveBack: (amount: number) => this.giveBack(shares, amount),
    };
  }

  #usedOf(key: string): number {
    return this.#used.get(key) ?? 0;
  }
}
