/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [member: string]: Json;
}

/** A reference within the document, such as `#/components/schemas/Certificate`. */
export function reference(
  section: "schemas" | "headers" | "responses" | "parameters",
  name: string,
): JsonObject {
  return { $ref: `#/components/${section}/${name}` };
}
