import { type Reason, reason } from "#shared/reasons/reason.ts";

/** The result of reading the bytes received so far. */
type StatusReading =
  | { readonly kind: "incomplete" }
  /** A final status, 200 to 999; `rest` is the text received after the status line. */
  | { readonly kind: "status"; readonly status: number; readonly rest: string }
  /** A malformed or too long reply, or status 101. */
  | { readonly kind: "invalid"; readonly reason: Reason };

// The limit for interim replies and the final status line together.
const bytesMax = 16 * 1_024;

const versionPrefix = "HTTP/1.";
// A higher minor version is processed as 1.1 (RFC 9110 §2.5). A bare LF also ends a line (RFC 9112 §2.2).
const statusLine = /^HTTP\/1\.\d ([1-9]\d\d)(?: [^\r]*)?\r?$/;

/**
 * Reads a reply up to the end of its final status line, which alone determines the outcome (INTERFACE.md §6, rule 1),
 * and skips 1xx replies except 101, which is invalid. Everything after the final status line may be late, endless or
 * malformed. Node's HTTP parser is not used, because it reports a status only after complete and valid headers.
 */
export class StatusReader {
  #received = "";
  // Complete lines are read only once, so a reply that arrives byte by byte costs little more than a reply that arrives
  // in one piece.
  #lineStart = 0;
  #isInterimHead = false;

  get hasBegun(): boolean {
    return this.#received !== "";
  }

  /** Appends received bytes, decoded as latin1. Must not be called again after a result other than `incomplete`. */
  push(text: string): StatusReading {
    this.#received += text;
    const received = this.#received.slice(0, bytesMax);
    let end = received.indexOf("\n", this.#lineStart);
    for (; end >= 0; end = received.indexOf("\n", this.#lineStart)) {
      const line = received.slice(this.#lineStart, end);
      this.#lineStart = end + 1;
      const reading = this.#readLine(line);
      if (reading !== undefined) return reading;
    }
    const beginning = received.slice(this.#lineStart, this.#lineStart + versionPrefix.length);
    if (!this.#isInterimHead && !versionPrefix.startsWith(beginning)) return invalid(reason("reply_not_http"));
    return received.length < bytesMax
      ? { kind: "incomplete" }
      : invalid(reason("reply_without_final_status", { kibibytes: bytesMax / 1_024 }));
  }

  /** @returns undefined if the line is part of an interim reply */
  #readLine(line: string): StatusReading | undefined {
    if (this.#isInterimHead) {
      this.#isInterimHead = line !== "" && line !== "\r";
      return undefined;
    }
    if (!line.startsWith(versionPrefix)) return invalid(reason("reply_not_http"));
    const status = Number(statusLine.exec(line)?.[1]);
    if (Number.isNaN(status)) return invalid(reason("reply_status_line_invalid"));
    if (status >= 200) return { kind: "status", status, rest: this.#received.slice(this.#lineStart) };
    // Status 101 ends HTTP on this connection, although no delivery requests an upgrade (RFC 9110 §15.2.2).
    if (status === 101) return invalid(reason("protocol_switched"));
    this.#isInterimHead = true;
    return undefined;
  }
}

function invalid(why: Reason): StatusReading {
  return { kind: "invalid", reason: why };
}
