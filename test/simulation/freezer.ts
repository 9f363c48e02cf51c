/**
 * Freezes a process under simulation at one of its calls: wraps the parts that the process uses, and holds back a call,
 * or its result, until the process is thawed.
 */
export class Freezer {
  #callsLeft = Number.POSITIVE_INFINITY;
  #frozen: PromiseWithResolvers<void> | undefined;
  #onFrozen = Promise.withResolvers<void>();
  #work: Promise<unknown> | undefined;

  /** Whether a call is held back. */
  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** Freezes the process after this number of calls and results. */
  freezeAfter(callCount: number): void {
    this.#callsLeft = callCount;
  }

  /** Runs work of the process. @returns once the work is done or the process is frozen; false if it is frozen */
  async run(work: Promise<unknown>): Promise<boolean> {
    const isDone = await Promise.race([work.then(() => true), this.#onFrozen.promise.then(() => false)]);
    if (isDone) this.#callsLeft = Number.POSITIVE_INFINITY;
    return isDone;
  }

  /**
   * Continues the work that is frozen, or begins other work if none is. Freezes it after a number of calls and results.
   *
   * @returns once the work is done or frozen
   */
  async advance(begin: () => Promise<unknown>, callCount = Number.POSITIVE_INFINITY): Promise<void> {
    this.thaw();
    this.freezeAfter(callCount);
    this.#work ??= begin().finally(() => {
      this.#work = undefined;
    });
    await this.run(this.#work);
  }

  thaw(): void {
    this.#callsLeft = Number.POSITIVE_INFINITY;
    this.#onFrozen = Promise.withResolvers<void>();
    this.#frozen?.resolve();
    this.#frozen = undefined;
  }

  /** Returns the part with all its methods wrapped. */
  wrap<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return async (...args: readonly unknown[]) => {
          await this.pass();
          const result: unknown = await Reflect.apply(member, target, args);
          await this.pass();
          return result;
        };
      },
    });
  }

  /** Resolves at once, or once the process is thawed. */
  async pass(): Promise<void> {
    this.#callsLeft -= 1;
    if (this.#callsLeft > 0) return await this.#frozen?.promise;
    if (this.#frozen === undefined) {
      this.#frozen = Promise.withResolvers<void>();
      this.#onFrozen.resolve();
    }
    await this.#frozen.promise;
  }
}
