import type { Clock } from "./clock.ts";

/** Dependencies of {@link Poller}. */
export interface PollerDeps {
  readonly clock: Clock;
  /** Pause before each run of the task, in milliseconds. */
  readonly intervalMs: number;
  /** Must neither throw nor reject. */
  readonly task: () => void | Promise<void>;
}

/** Runs a task periodically until {@link stop} is called. */
export class Poller {
  readonly #deps: PollerDeps;
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;

  constructor(deps: PollerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops polling. Resolves once the current run of the task, if any, has ended. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, intervalMs, task } = this.#deps;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await clock.sleep(intervalMs, signal);
      if (!signal.aborted) await task();
    }
  }
}
