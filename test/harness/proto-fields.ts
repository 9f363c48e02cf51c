import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** The fields of a message without its contract, by their numbers. */
export type Fields = ReadonlyMap<number, readonly (Uint8Array | bigint)[]>;

/** Returns the values of a length-delimited field of a message. */
export function messages(bytes: Uint8Array, field: number): Uint8Array[] {
  return (fieldsOf(bytes).get(field) ?? []).filter((value) => typeof value !== "bigint");
}

/** Reads the fields of a message. */
export function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, (Uint8Array | bigint)[]>();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    const value = fieldValue(reader, type);
    if (value !== undefined) fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

function fieldValue(reader: BinaryReader, type: WireType): Uint8Array | bigint | undefined {
  if (type === WireType.LengthDelimited) return reader.bytes();
  if (type === WireType.Bit64) return BigInt(reader.fixed64());
  if (type === WireType.Varint) return BigInt(reader.uint64());
  reader.skip(type);
  return undefined;
}
