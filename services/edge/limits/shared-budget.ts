interface BudgetShare {
  /** Everything taken with this key counts towards the same limit. */
  readonly key: string;
  readonly max: number;
}

/** What someone takes from a {@link SharedBudget}; all of it is given back when the room is disposed of. */
interface BudgetRoom extends Disposable {
  /** Counts an amount against all shares. @returns false, without counting it, if a share would exceed its limit */
  take(amount: number): boolean;
}

/**
 * A budget of bytes or places. What is taken counts against one or more shares, and is refused if a share would exceed
 * its limit. Nothing waits for room, as work does for one of Places.
 */
export class SharedBudget {
  readonly #used = new Map<string, number>();

  /** Returns a room in which nothing has been taken from these shares yet. */
  roomIn(shares: readonly BudgetShare[]): BudgetRoom {
    let taken = 0;
    const add = (amount: number) => {
      taken += amount;
      for (const { key } of shares) {
        const used = this.#usedOf(key) + amount;
        if (used > 0) this.#used.set(key, used);
        else this.#used.delete(key);
      }
    };
    return {
      take: (amount) => {
        const isRoom = shares.every(({ key, max }) => this.#usedOf(key) + amount <= max);
        if (isRoom) add(amount);
        return isRoom;
      },
      [Symbol.dispose]: () => add(-taken),
    };
  }

  #usedOf(key: string): number {
    return this.#used.get(key) ?? 0;
  }
}
