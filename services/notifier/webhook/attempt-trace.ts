/** The phases of an attempt. `connect` includes the egress proxy's answer; `reply` ends with the final status line. */
export type Phase = "resolve" | "connect" | "tls" | "send" | "reply";

/**
 * The duration of each phase in whole milliseconds, even if the phase failed; the sum if a phase was repeated. Absent
 * for a phase that did not start.
 */
export type AttemptPhases = { readonly [name in `${Phase}Ms`]?: number };

/** Records the receiver's address and the duration of each phase of an attempt, successful or not. */
export class AttemptTrace {
  /** The receiver's IP address; the empty string until the connection is established. */
  remoteAddress = "";
  readonly #startedAt = performance.now();
  readonly #phases: { [name in `${Phase}Ms`]?: number } = {};
  #phase: Phase | undefined;
  #phaseStartedAt = this.#startedAt;
  #endedAt = this.#startedAt;

  get phase(): Phase | undefined {
    return this.#phase;
  }

  get phases(): AttemptPhases {
    return this.#phases;
  }

  /** Whole milliseconds from the start of the attempt to the end of the last finished phase. */
  get durationMs(): number {
    return Math.round(this.#endedAt - this.#startedAt);
  }

  /** Ends the current phase, if any, and starts the next one. */
  startPhase(phase: Phase): void {
    this.endPhase();
    this.#phase = phase;
    this.#phaseStartedAt = performance.now();
  }

  /** Ends the current phase, if any. */
  endPhase(): void {
    if (this.#phase === undefined) return;
    this.#endedAt = performance.now();
    const name = `${this.#phase}Ms` as const;
    this.#phases[name] = (this.#phases[name] ?? 0) + Math.round(this.#endedAt - this.#phaseStartedAt);
    this.#phase = undefined;
  }
}
