import type { Socket } from "node:net";

/**
 * Calls a function with each complete message of the MongoDB wire protocol that arrives on a connection
 * (https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/). Each message begins with its length.
 */
export function onMessage(socket: Socket, handle: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      handle(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  });
}

const opMsg = 2_013;
const opcodeAt = 12;
// After the header (16 bytes), the flags (4), the kind of the first section (1), the length of its document (4) and the
// type of its first element (1).
const nameAt = 26;
const stringType = 2;

/** The command in a message, such as `find`, and its collection, if it has one. */
interface NamedCommand {
  readonly name: string;
  readonly collection: string | undefined;
}

/** Returns the command of a message; undefined if the message is not an OP_MSG. */
export function namedCommand(message: Buffer): NamedCommand | undefined {
  if (message.length <= nameAt || message.readInt32LE(opcodeAt) !== opMsg) return undefined;
  const nameEnd = message.indexOf(0, nameAt);
  const name = message.toString("utf8", nameAt, nameEnd);
  if (message[nameAt - 1] !== stringType) return { name, collection: undefined };
  // The length of the collection's name precedes it.
  const collectionAt = nameEnd + 5;
  return { name, collection: message.toString("utf8", collectionAt, message.indexOf(0, collectionAt)) };
}
