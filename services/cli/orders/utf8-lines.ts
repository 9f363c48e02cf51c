const LF = 10;

/** Proves that bytes are UTF-8, line by line, across any cut into pieces. */
export class Utf8Lines {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #line = 1;

  /** The physical line that the last byte taken stands in (the first is 1); after a fault, the faulty line. */
  get line(): number {
    return this.#line;
  }

  /**
   * Takes the next bytes. Returns how many of them may be used: all, or, where a line is not UTF-8, those before this
   * line; nothing more can be taken then.
   */
  take(bytes: Uint8Array): number {
    let from = 0;
    while (from < bytes.byteLength) {
      const lf = bytes.indexOf(LF, from);
      const to = lf < 0 ? bytes.byteLength : lf + 1;
      if (!this.#decodes(bytes.subarray(from, to))) return from;
      if (lf >= 0) this.#line += 1;
      from = to;
    }
    return from;
  }

  /** Whether the bytes end where a character ends. Nothing more can be taken. */
  end(): boolean {
    return this.#decodes(undefined);
  }

  #decodes(bytes: Uint8Array | undefined): boolean {
    try {
      this.#decoder.decode(bytes, { stream: bytes !== undefined });
      return true;
    } catch {
      return false;
    }
  }
}
