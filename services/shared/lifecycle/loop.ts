import { once } from "node:events";
import { backOffMs } from "../retry/back-off.ts";
import type { Clock } from "../time/clock.ts";

/** Options of a {@link Loop}. */
export interface LoopOptions {
  /**
   * Does one piece of work.
   *
   * @param stopping aborts when the loop is stopping, so that long work can end early
   * @returns the pause before the next step, in milliseconds, which a wake-up ends: 0 to continue at once, `Infinity`
   * to wait for a wake-up
   */
  readonly step: (stopping: AbortSignal) => number | Promise<number>;
  /** Called with the error of each failed step, before the pause; for the log. */
  readonly onFailure?: (error: unknown) => void;
  /** Exponential backoff after successive failures, which a wake-up does not end. Default 500 to 10,000. */
  readonly failurePauseMs?: { readonly first: number; readonly max: number };
  /** Pause before the first step, in milliseconds. Default 0. */
  readonly firstPauseMs?: number;
  readonly clock: Pick<Clock, "sleep">;
}

// The abort reason. Without one, each abort would create an error with a stack trace.
const ended = "ended";

/**
 * Repeats work in the background: one step at a time, then a pause that a wake-up ends, until stopped. A wake-up during
 * a step is not lost: the next step follows without a pause.
 */
export class Loop {
  readonly #options: LoopOptions;
  readonly #stopping = new AbortController();
  #pause = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** Aborts when the loop is stopping. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Starts the first step. Does nothing if the loop runs or has been stopped. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the current pause, or skips the one after the step in progress. */
  wake(): void {
    this.#pause.abort(ended);
  }

  /** Stops the loop. Resolves once the step in progress has ended; no step starts afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort(ended);
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { step, onFailure, clock, firstPauseMs = 0, failurePauseMs = { first: 500, max: 10_000 } } = this.#options;
    const { signal } = this.#stopping;
    await this.#sleep(firstPauseMs);
    for (let failures = 0; !signal.aborted; ) {
      // Replaced before the step, so that a wake-up during the step ends the pause after it.
      this.#pause = new AbortController();
      try {
        const pauseMs = await step(signal);
        failures = 0;
        await this.#sleep(pauseMs);
      } catch (error) {
        onFailure?.(error);
        await clock.sleep(backOffMs(failures++, failurePauseMs.first, failurePauseMs.max), signal);
      }
    }
  }

  async #sleep(durationMs: number): Promise<void> {
    const { signal } = this.#pause;
    if (durationMs <= 0 || signal.aborted) return;
    if (durationMs < Number.POSITIVE_INFINITY) return await this.#options.clock.sleep(durationMs, signal);
    await once(signal, "abort");
  }
}
