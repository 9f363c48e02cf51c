import { logToStderr } from "../harness/program/run-program.ts";
import { type BenchStack, type StackVariables, startBenchStack } from "./bench-stack.ts";
import type { BenchOptions } from "./options.ts";

/**
 * The stacks of a run. Each part has its own stack, so that no part is affected by another part's data; with
 * `shareStacks`, parts with the same variables use the same stack one after another.
 */
export class BenchStacks implements AsyncDisposable {
  readonly #options: BenchOptions;
  readonly #signal: AbortSignal;
  /** Stacks that no part is using, by the variables of their services. */
  readonly #idle = new Map<StackVariables | undefined, BenchStack>();
  /** The stack of the current part. */
  #current: { readonly stack: BenchStack; readonly variables: StackVariables | undefined } | undefined;

  constructor(options: BenchOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /**
   * Returns an idle stack with these variables, or starts one. Closes the stack of the previous part if that part
   * failed and did not release it.
   */
  async open(variables: StackVariables | undefined): Promise<BenchStack> {
    await this.#current?.stack.close();
    this.#current = undefined;
    const idle = this.#idle.get(variables);
    this.#idle.delete(variables);
    const stack = idle ?? (await startBenchStack(this.#options, this.#signal, logToStderr, variables));
    this.#current = { stack, variables };
    return stack;
  }

  /** Releases the current part's stack: with `shareStacks`, keeps it for later parts; otherwise, closes it. */
  async release(): Promise<void> {
    if (this.#current === undefined) return;
    const { stack, variables } = this.#current;
    if (this.#options.shareStacks) {
      await stack.deliveries.resume();
      await stack.deliveries.whenSettled();
      await stack.arrivals.collect(0);
      this.#idle.set(variables, stack);
    } else await stack.close();
    this.#current = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current?.stack.close();
    for (const stack of this.#idle.values()) await stack.close();
  }
}
