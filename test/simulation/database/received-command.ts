import { Binary, BSON, Long, ObjectId } from "mongodb";
import { DocumentSequence, type OpMsgRequest } from "mongodb/lib/cmap/commands.js";
import { isPlainObject } from "../../harness/database-commands/shape.ts";
import { type Doc, decoding } from "./bson-value.ts";

/**
 * Returns the command of a message as a server decodes it: a copy, which shares no mutable value with the sender. To be
 * fast, common values are copied without their encoding, which a server would decode to the same value.
 */
export function receivedCommand({ command, ignoreUndefined }: OpMsgRequest): Doc {
  const received: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(command)) {
    if (value === undefined && ignoreUndefined) continue;
    received[name] =
      value instanceof DocumentSequence
        ? value.chunks.slice(1).map((bytes) => BSON.deserialize(bytes, decoding))
        : decoded(value, ignoreUndefined);
  }
  return received;
}

/** Returns a value that the driver encodes, as a server decodes it. */
function decoded(value: unknown, ignoreUndefined: boolean): unknown {
  switch (typeof value) {
    case "string":
      return value.toWellFormed();
    case "number":
    case "boolean":
      return value;
    case "bigint":
      return BigInt.asIntN(64, value);
    case "undefined":
      return null;
  }
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => decoded(item, ignoreUndefined));
  if (isPlainObject(value)) {
    const fields: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const field = value[name];
      if (field !== undefined || !ignoreUndefined) fields[name] = decoded(field, ignoreUndefined);
    }
    return fields;
  }
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof ObjectId) return value;
  if (value instanceof Binary) return new Binary(Buffer.from(value.value()), value.sub_type);
  // Timestamps are longs, too.
  if (value instanceof Long && value._bsontype === "Long")
    return (BigInt(value.getHighBits()) << 32n) | BigInt(value.getLowBitsUnsigned());
  if (value instanceof Map) return decoded(Object.fromEntries(value), ignoreUndefined);
  return BSON.deserialize(BSON.serialize({ value }, { ignoreUndefined }), decoding).value;
}
