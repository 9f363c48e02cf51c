/** What the bytes read so far amount to. */
export type StatusReading =
  | { readonly kind: "incomplete" }
  /** A final status; `rest` are the bytes after its line that came along with it. */
  | { readonly kind: "status"; readonly status: number; readonly rest: Buffer }
  /** No reply that HTTP/1 knows; `problem` is one sentence for the merchant. */
  | { readonly kind: "invalid"; readonly problem: string };

// Interim replies and the final status line together.
const bytesMax = 16 * 1_024;

const versionText = "HTTP/1.";
// A higher minor version reads as 1.1 (RFC 9110 §2.5). A bare LF ends a line too (RFC 9112 §2.2).
const statusLine = /^HTTP\/1\.\d ([1-9]\d\d)(?: [^\r]*)?\r?$/;
const blankLine = /^\r?$/;

/**
 * Reads a reply only up to the end of its final status line, which is all that counts (INTERFACE.md §6,
 * rule 1). 1xx replies are passed over. What comes after the status line may be late, endless or malformed without
 * changing the outcome, which is why this is not left to an HTTP parser: that reports a status only with complete,
 * valid headers.
 */
export class StatusReader {
  // The line under way. Every byte is looked at once, so that single bytes cost no more than a whole reply.
  #line = "";
  #isInterimHead = false;
  #bytesLeft = bytesMax;

  /** Whether the receiver sent anything yet. */
  get hasBegun(): boolean {
    return this.#bytesLeft < bytesMax;
  }

  /** Takes the next bytes. Once it has answered anything but "incomplete" it must not be asked again. */
  push(chunk: Buffer): StatusReading {
    // What is beyond the limit is not looked at, so that the reading does not depend on how the bytes were cut up.
    const taken = chunk.subarray(0, this.#bytesLeft);
    this.#bytesLeft -= taken.length;
    let start = 0;
    for (let end = taken.indexOf("\n"); end >= 0; end = taken.indexOf("\n", start)) {
      const reading = this.#readLine(this.#line + taken.toString("latin1", start, end));
      start = end + 1;
      if (typeof reading === "number")
        return { kind: "status", status: reading, rest: chunk.subarray(start) };
      if (reading !== undefined) return reading;
      this.#line = "";
    }
    const isBeginning = this.#line.length < versionText.length;
    this.#line += taken.toString("latin1", start);
    if (isBeginning && !this.#isInterimHead && !mayBeHttp(this.#line)) return invalid(notHttp);
    if (this.#bytesLeft > 0) return { kind: "incomplete" };
    return invalid(`The receiver sent ${bytesMax / 1_024} KiB without a final status.`);
  }

  /** @returns a final status, what is wrong, or undefined where the reply goes on */
  #readLine(line: string): number | StatusReading | undefined {
    if (this.#isInterimHead) {
      this.#isInterimHead = !blankLine.test(line);
      return undefined;
    }
    if (!line.startsWith(versionText)) return invalid(notHttp);
    const status = Number(statusLine.exec(line)?.[1]);
    if (Number.isNaN(status)) return invalid("The status line of the receiver's reply cannot be read.");
    if (status >= 200) return status;
    // It ends HTTP on this connection, and no request asks for it (RFC 9110 §15.2.2).
    if (status === 101) return invalid("The receiver switched to another protocol (status 101).");
    this.#isInterimHead = true;
    return undefined;
  }
}

const notHttp = "The receiver's reply is not HTTP/1.1.";

/** Whether a line of which only the beginning is there may become a status line. */
function mayBeHttp(beginning: string): boolean {
  return versionText.startsWith(beginning.slice(0, versionText.length));
}

function invalid(problem: string): StatusReading {
  return { kind: "invalid", problem };
}
