import { isDeepStrictEqual } from "node:util";
import { Loop } from "../lifecycle/loop.ts";
import type { Clock } from "../time/clock.ts";

interface PolledFilesOptions<Value, Texts> {
  /** @throws Error with the reason why the files cannot be read */
  readonly read: () => Texts;
  /** @throws Error with the reason why the files are unusable */
  readonly parse: (texts: Texts) => Value;
  /** Returns why a value cannot be used now. Default: every value can be used at any time. */
  readonly problemOf?: (value: Value) => string | undefined;
  readonly intervalMs: number;
  readonly clock: Clock;
  /** Called after each check of the files, with the value in use and whether the files are valid. */
  readonly onChecked: (value: Value, areValid: boolean) => void;
  /** Called with the reason when the files become unusable; the value in use remains. */
  readonly onUnusable: (reason: string) => void;
}

/**
 * Files whose contents can change, which are read again periodically once `start` has been called. While they are
 * unusable, the current value remains in use. They are not watched: a mounted Kubernetes Secret is replaced through
 * symbolic links, and a watch on a file would miss that.
 */
export class PolledFiles<Value, Texts> {
  readonly #options: PolledFilesOptions<Value, Texts>;
  readonly #loop: Loop;
  readonly #listeners = new Set<(value: Value) => void>();
  #value: Value;
  #texts: Texts;
  #problem: string | undefined;

  /**
   * Reads the files for the first time. A value that cannot be used now is accepted, and reported, so that the service
   * starts and can recover when the files are replaced.
   *
   * @throws the error of `read` or `parse`
   */
  constructor(options: PolledFilesOptions<Value, Texts>) {
    const { read, parse, problemOf, intervalMs, clock } = options;
    this.#options = options;
    this.#loop = new Loop({
      clock,
      firstPauseMs: intervalMs,
      step: () => {
        this.refresh();
        return intervalMs;
      },
    });
    this.#texts = read();
    this.#value = parse(this.#texts);
    this.#report(problemOf?.(this.#value));
  }

  /** The value of the last valid version of the files; until there is one, that of the first version. */
  get value(): Value {
    return this.#value;
  }

  /** Calls the listener with each new value. @returns a function that removes the listener */
  onChange(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Starts reading the files periodically. */
  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Reads the files, and replaces the value if they have changed and are valid. */
  refresh(): void {
    try {
      this.#report(this.#load());
    } catch (error) {
      this.#report(error instanceof Error ? error.message : String(error));
    }
  }

  /** @returns the reason why the files are unusable; undefined if the value that they contain is valid and in use */
  #load(): string | undefined {
    const { read, parse, problemOf } = this.#options;
    const texts = read();
    if (isDeepStrictEqual(texts, this.#texts)) return problemOf?.(this.#value);
    const value = parse(texts);
    const problem = problemOf?.(value);
    if (problem !== undefined) return problem;
    this.#texts = texts;
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
    return undefined;
  }

  #report(problem: string | undefined): void {
    const { onChecked, onUnusable } = this.#options;
    onChecked(this.#value, problem === undefined);
    if (problem !== undefined && problem !== this.#problem) onUnusable(problem);
    this.#problem = problem;
  }
}
