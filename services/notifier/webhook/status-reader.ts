/** What the bytes read so far amount to: a final status, nothing yet, or something that is not HTTP/1.1. */
export type StatusReading = number | "incomplete" | "invalid";

// Interim replies and the final status line together; more is no reply.
const bytesMax = 8 * 1_024;

const statusLine = /^HTTP\/1\.[01] ([1-9]\d\d)(?: [^\r\n]*)?\r?\n/;
const blankLine = /\n\r?\n/;

/**
 * Reads a reply only up to the end of its final status line, which is all that counts (interface specification §6,
 * rule 1). 1xx replies are passed over. What comes after the status line may be late, endless or malformed without
 * changing the outcome, which is why this is not left to an HTTP parser: that reports a status only with complete,
 * valid headers.
 */
export class StatusReader {
  #text = "";
  #bytes = 0;

  /** Takes the next bytes. Once it has answered anything but "incomplete" it must not be asked again. */
  push(chunk: Buffer): StatusReading {
    this.#bytes += chunk.length;
    this.#text += chunk.toString("latin1");
    for (;;) {
      const line = statusLine.exec(this.#text);
      if (line === null) return this.#text.includes("\n") ? "invalid" : this.#unlessTooLong();
      const status = Number(line[1]);
      if (status >= 200) return status;
      const end = blankLine.exec(this.#text);
      if (end === null) return this.#unlessTooLong();
      this.#text = this.#text.slice(end.index + end[0].length);
    }
  }

  #unlessTooLong(): StatusReading {
    return this.#bytes > bytesMax ? "invalid" : "incomplete";
  }
}
