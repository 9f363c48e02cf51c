/** A step of an attempt: name look-up, TCP with the proxy's answer, the TLS handshake, handing over the message, waiting for the status. */
export type Step = "resolve" | "connect" | "tls" | "send" | "reply";

/** Whole milliseconds of each step, the one that failed included; a step that was not begun is absent. */
export type AttemptPhases = { readonly [name in `${Step}Ms`]?: number };

/** Notes where an attempt goes and how long its steps take, while it goes on: a failed one tells as much as a good one. */
export class AttemptTrace {
  /** The IP address that the socket is connected to; empty until then. */
  remoteAddress = "";
  readonly #startedAt = performance.now();
  readonly #phases: { [name in `${Step}Ms`]?: number } = {};
  #step: Step | undefined;
  #stepBegunAt = this.#startedAt;
  #endedAt = this.#startedAt;

  /** The step under way; undefined before the first and after the last one. */
  get step(): Step | undefined {
    return this.#step;
  }

  /** How long the steps took that were ended. */
  get phases(): AttemptPhases {
    return this.#phases;
  }

  /** Whole milliseconds from the start to the end of the last step that was ended. */
  get durationMs(): number {
    return Math.round(this.#endedAt - this.#startedAt);
  }

  /** Ends the step under way, if any, and begins the next one. */
  begin(step: Step): void {
    this.end();
    this.#step = step;
    this.#stepBegunAt = performance.now();
  }

  /** Ends the step under way; without one it does nothing. */
  end(): void {
    if (this.#step === undefined) return;
    this.#endedAt = performance.now();
    this.#phases[`${this.#step}Ms`] = Math.round(this.#endedAt - this.#stepBegunAt);
    this.#step = undefined;
  }
}
