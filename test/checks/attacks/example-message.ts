import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";

/** The values of fields by name, for {@link exampleMessage}. */
export type FieldValues = Readonly<Record<string, string>>;

const depthMax = 4;

/** Returns the JSON form of a message in which every field is set: to one of `values`, or to a value of its type. */
export function exampleMessage(message: DescMessage, values: FieldValues, depth = 0): unknown {
  if (message.typeName === "google.protobuf.Timestamp") return "2026-03-14T10:00:00Z";
  if (message.typeName === "google.protobuf.Duration") return "1s";
  const fields = message.members.flatMap((member) => (member.kind === "oneof" ? member.fields.slice(0, 1) : [member]));
  const entries = fields.map((field) => [field.jsonName, exampleField(field, values, depth)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function exampleField(field: DescField, values: FieldValues, depth: number): unknown {
  if (field.fieldKind === "map") return {};
  const value = exampleValue(field, values, depth);
  if (value === undefined) return undefined;
  return field.fieldKind === "list" ? [value] : value;
}

function exampleValue(field: DescField, values: FieldValues, depth: number): unknown {
  if (field.message !== undefined)
    return depth < depthMax ? exampleMessage(field.message, values, depth + 1) : undefined;
  if (field.enum !== undefined) return field.enum.values.at(-1)?.name;
  switch (field.scalar) {
    case ScalarType.STRING:
      return values[field.name] ?? "text";
    case ScalarType.BOOL:
      return true;
    case ScalarType.BYTES:
      return "AAAA";
    default:
      return 1;
  }
}
