/**
 * Splits a byte stream into messages of the MongoDB wire protocol
 * (https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/). Each message begins with its length.
 */
export class MessageSplitter {
  #rest: Buffer = Buffer.alloc(0);

  /** Adds bytes. @returns the messages that these bytes complete */
  add(bytes: Buffer): Buffer[] {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const messages: Buffer[] = [];
    while (rest.length >= 4) {
      const length = rest.readInt32LE(0);
      if (rest.length < length) break;
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    this.#rest = rest;
    return messages;
  }
}

const opMsg = 2_013;
const opcodeAt = 12;
// After the header (16 bytes), the flags (4), the section kind (1), the document length (4) and the element type (1).
const nameAt = 26;

/** Returns the name of the command in a message, such as `find`; undefined if the message is not an OP_MSG. */
export function commandName(message: Buffer): string | undefined {
  if (message.length <= nameAt || message.readInt32LE(opcodeAt) !== opMsg) return undefined;
  return message.toString("utf8", nameAt, message.indexOf(0, nameAt));
}
