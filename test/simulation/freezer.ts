/** After how many calls and results a process freezes, or before which call, such as `orders.settle`. */
export type FreezingPoint = number | string;

/**
 * Freezes a process under simulation at one of its calls: wraps the parts that the process uses, and holds back a call,
 * or its result, until the process is thawed.
 */
export class Freezer {
  #callsLeft = Number.POSITIVE_INFINITY;
  #before: string | undefined;
  #frozen: PromiseWithResolvers<void> | undefined;
  #onFrozen = Promise.withResolvers<void>();
  #work: Promise<unknown> | undefined;

  /** Whether a call is held back. */
  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** Freezes the process at a point, or at none. */
  freezeAt(point: FreezingPoint | undefined): void {
    this.#callsLeft = typeof point === "number" ? point : Number.POSITIVE_INFINITY;
    this.#before = typeof point === "string" ? point : undefined;
  }

  /** Runs work of the process. @returns once the work is done or the process is frozen; false if it is frozen */
  async run(work: Promise<unknown>): Promise<boolean> {
    const isDone = await Promise.race([work.then(() => true), this.#onFrozen.promise.then(() => false)]);
    if (isDone) this.freezeAt(undefined);
    return isDone;
  }

  /**
   * Continues the work that is frozen, or begins other work if none is.
   *
   * @param point where it freezes. Default: nowhere
   * @returns once the work is done or frozen
   */
  async advance(begin: () => Promise<unknown>, point?: FreezingPoint): Promise<void> {
    this.thaw();
    this.freezeAt(point);
    this.#work ??= begin().finally(() => {
      this.#work = undefined;
    });
    await this.run(this.#work);
  }

  thaw(): void {
    this.freezeAt(undefined);
    this.#onFrozen = Promise.withResolvers<void>();
    this.#frozen?.resolve();
    this.#frozen = undefined;
  }

  /** Returns the part with all its methods wrapped. @param partName the first word of the names of its calls */
  wrap<Part extends object>(part: Part, partName = ""): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return async (...args: readonly unknown[]) => {
          await this.pass(`${partName}.${String(name)}`);
          const result: unknown = await Reflect.apply(member, target, args);
          await this.pass();
          return result;
        };
      },
    });
  }

  /** Resolves at once, or once the process is thawed. @param call the call that begins. Default: none does */
  async pass(call?: string): Promise<void> {
    this.#callsLeft -= 1;
    if (this.#callsLeft > 0 && (call === undefined || call !== this.#before)) return await this.#frozen?.promise;
    if (this.#frozen === undefined) {
      this.#frozen = Promise.withResolvers<void>();
      this.#onFrozen.resolve();
    }
    await this.#frozen.promise;
  }
}
