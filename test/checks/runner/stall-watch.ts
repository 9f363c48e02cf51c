interface StallWatchSetup {
  /** Returns a value that changes whenever there is progress. */
  readonly progress: () => number | string;
  readonly limitMs: number;
}

const pollsPerLimit = 100;

/** Aborts its signal when there has been no progress for `limitMs`, measured with the monotonic clock. */
export class StallWatch implements Disposable {
  readonly #stalled = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor({ progress, limitMs }: StallWatchSetup) {
    let last = progress();
    let changedAt = performance.now();
    this.#timer = setInterval(() => {
      const current = progress();
      const now = performance.now();
      if (current !== last) changedAt = now;
      last = current;
      if (now - changedAt >= limitMs) this.#stalled.abort(new Error(`no progress for ${limitMs / 1_000} s`));
    }, limitMs / pollsPerLimit);
  }

  get signal(): AbortSignal {
    return this.#stalled.signal;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
