/** Something that is there or not, and that others wait for. Closed at first. */
export class Gate {
  readonly #waiting = new Set<() => void>();
  #isOpen = false;

  /** Whether one may go through. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Lets everyone through. */
  open(): void {
    this.#isOpen = true;
    for (const go of [...this.#waiting]) go();
  }

  /** Holds up who comes from now on. */
  close(): void {
    this.#isOpen = false;
  }

  /** Resolves when the gate is open or the signal aborts. */
  whenOpen(signal: AbortSignal): Promise<void> {
    if (this.#isOpen || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        this.#waiting.delete(go);
        signal.removeEventListener("abort", go);
        resolve();
      };
      this.#waiting.add(go);
      signal.addEventListener("abort", go, { once: true });
    });
  }
}
