export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: Json;
}

/** Returns a reference within the document, such as `#/components/schemas/Certificate`. */
export function reference(section: "schemas" | "headers" | "responses" | "parameters", name: string): JsonObject {
  return { $ref: `#/components/${section}/${name}` };
}

/** A JSON Schema with one example. */
export interface Schema extends JsonObject {
  readonly examples: readonly [Json];
}

/**
 * Returns the schema of an object with these members, all required. Other members are valid too: later releases may add
 * some (INTERFACE.md §9), and clients that validate messages with this schema must then continue to work. The example
 * is built from the examples of the members.
 */
export function objectSchema(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  const example = Object.fromEntries(Object.entries(properties).map(([name, { examples }]) => [name, examples[0]]));
  const required = Object.keys(properties);
  return {
    type: "object",
    description,
    properties,
    required,
    examples: [example],
  };
}

/** Returns the schema of a string; `keywords` adds constraints such as `pattern`. */
export function text(description: string, example: string, keywords: JsonObject = {}): Schema {
  return { type: "string", description, ...keywords, examples: [example] };
}

/** Returns the schema of a whole number of at least 1. */
export function count(description: string, example: number): Schema {
  return { type: "integer", minimum: 1, description, examples: [example] };
}

// The format of `Date.prototype.toISOString` for years up to 9999: always UTC, always three decimals.
const timePattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$";

/** Returns the schema of a time in responses and webhook messages: UTC with milliseconds. */
export function time(description: string, example = "2026-03-01T12:00:00.000Z"): Schema {
  return text(description, example, { format: "date-time", pattern: timePattern });
}

/** Returns the schema extended to allow null; `example` defaults to the example of the given schema. */
export function orNull(schema: Schema, example: Json = schema.examples[0]): Schema {
  return { ...schema, type: [schema.type ?? "object", "null"], examples: [example] };
}

/** Returns a reference to a component schema, with an example that fits the referring member. */
export function component(name: string, example: Json): Schema {
  return { ...reference("schemas", name), examples: [example] };
}
