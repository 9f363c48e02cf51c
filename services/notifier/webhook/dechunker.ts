// Eight digits are 4 GiB. A bare LF ends a line too, as in the reply's head.
const chunkHead = /^\r?\n([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n/i;

/**
 * Takes the framing of a chunked body away (RFC 9112 §7.1), as the bytes come in; a byte is a character of a latin1
 * text. From something that is no chunk on it makes nothing of them any more.
 */
export class Dechunker {
  // The line end that stands before every chunk but the first.
  #waiting = "\n";
  #bytesLeft = 0;
  #isComplete = false;

  /** Whether the last chunk is there. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Takes the next bytes. @returns what is data of them */
  push(text: string): string {
    this.#waiting += text;
    let data = "";
    while (!this.#isComplete) {
      const part = this.#waiting.slice(0, this.#bytesLeft);
      data += part;
      this.#bytesLeft -= part.length;
      this.#waiting = this.#waiting.slice(part.length);
      if (this.#bytesLeft > 0) break;
      const head = chunkHead.exec(this.#waiting);
      if (head === null) break;
      this.#waiting = this.#waiting.slice(head[0].length);
      this.#bytesLeft = Number.parseInt(head[1] ?? "", 16);
      this.#isComplete = this.#bytesLeft === 0;
    }
    return data;
  }
}
