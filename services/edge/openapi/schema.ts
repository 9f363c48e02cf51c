/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [member: string]: Json;
}

/** A reference within the document, such as `#/components/schemas/Certificate`. */
export function reference(section: "schemas" | "headers" | "responses" | "parameters", name: string): JsonObject {
  return { $ref: `#/components/${section}/${name}` };
}

/** A JSON Schema with one example. */
export interface Schema extends JsonObject {
  readonly examples: readonly [Json];
}

/** An object whose members are all required and which has no others. Its example consists of the examples of its members. */
export function closedObject(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  const example = Object.fromEntries(Object.entries(properties).map(([name, { examples }]) => [name, examples[0]]));
  const required = Object.keys(properties);
  return {
    type: "object",
    description,
    properties,
    required,
    additionalProperties: false,
    examples: [example],
  };
}

/** A string. @param keywords further keywords, such as `pattern` */
export function text(description: string, example: string, keywords: JsonObject = {}): Schema {
  return { type: "string", description, ...keywords, examples: [example] };
}

/** A whole number of at least 1. */
export function count(description: string, example: number): Schema {
  return { type: "integer", minimum: 1, description, examples: [example] };
}

// The format of `Date.prototype.toISOString`: always UTC, always three decimals.
const timePattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$";

/** A time in responses and messages: UTC with milliseconds. */
export function time(description: string, example = "2026-03-01T12:00:00.000Z"): Schema {
  return text(description, example, { format: "date-time", pattern: timePattern });
}

/** A value that may be null. @param example default: the schema's own */
export function orNull(schema: Schema, example: Json = schema.examples[0]): Schema {
  return { ...schema, type: [schema.type ?? "object", "null"], examples: [example] };
}

/** A reference to a component with an example of its own. */
export function component(name: string, example: Json): Schema {
  return { ...reference("schemas", name), examples: [example] };
}
