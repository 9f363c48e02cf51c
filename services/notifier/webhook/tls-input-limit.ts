// A complete handshake needs 2 to 10 KiB. OpenSSL accepts certificate chains of up to 100 KiB.
const handshakeBytesMax = 64 * 1_024;
// A handshake and a short reply consist of about ten records. A server that sends a short head byte by byte needs one
// record for each byte.
const recordsMax = 128;
const headerBytes = 5;

/** How much a receiver may send after the handshake. */
export interface ReplyLimit {
  readonly bytesMax: number;
  /** Number of TLS records in addition to those left of the handshake's. */
  readonly moreRecords: number;
}

/**
 * Enough for session tickets and for a final status in a record of the maximum size, 16 KiB. A flood of tickets costs
 * about 0.2 ms of CPU time per KiB.
 */
export const shortReply: ReplyLimit = { bytesMax: 24 * 1_024, moreRecords: 0 };

/**
 * Limits the bytes and records that TLS processes on one connection. OpenSSL processes all available input without
 * returning to JavaScript, and has no limits of its own for key updates and session tickets. A key update is 27 bytes
 * long and takes up to 30 µs to process, so the key updates that arrive in one second could block all other deliveries
 * for minutes. Records are counted by their headers, which are never encrypted (RFC 8446 §5.1).
 */
export class TlsInputLimit {
  #bytesLeft = handshakeBytesMax;
  #recordsLeft = recordsMax;
  // The bytes of the current record's content still to come, and the bytes of the next record's header already
  // received.
  #contentLeft = 0;
  #headerRead = 0;
  #length = 0;

  /** Switches to the limit for input after the handshake. */
  startReply({ bytesMax, moreRecords }: ReplyLimit): void {
    this.#bytesLeft = bytesMax;
    this.#recordsLeft += moreRecords;
  }

  /**
   * Counts input against the limits.
   *
   * @returns the number of bytes that are within the limits: those before the first excess record or byte. It is less
   * than `input.length` once a limit is exceeded.
   */
  admit(input: Uint8Array): number {
    const end = Math.min(input.length, this.#bytesLeft);
    let at = 0;
    while (at < end) {
      if (this.#contentLeft > 0) {
        const skipped = Math.min(this.#contentLeft, end - at);
        this.#contentLeft -= skipped;
        at += skipped;
      } else if (this.#recordsLeft > 0) {
        this.#readHeaderByte(input[at++] ?? 0);
      } else {
        break;
      }
    }
    this.#bytesLeft -= at;
    return at;
  }

  #readHeaderByte(byte: number): void {
    // The content type, the version (2 bytes), and the length (2 bytes).
    this.#length = ((this.#length << 8) | byte) & 0xffff;
    this.#headerRead++;
    if (this.#headerRead < headerBytes) return;
    this.#contentLeft = this.#length;
    this.#headerRead = 0;
    this.#recordsLeft--;
  }
}
