import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "vitest";
import { openApiDocument } from "../../services/edge/openapi/document.ts";
import type { Json, JsonObject } from "../../services/edge/openapi/schema.ts";

/** Path to a place in the API description: member names, outermost first. */
export type Place = readonly string[];

const documentId = "https://registry.example/openapi.json";
// Not strict, because the document contains OpenAPI members around the schemas.
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(withClosedObjects(openApiDocument), documentId);

/**
 * Returns a copy of the document whose object schemas accept only the described members. The published schemas accept
 * additional members, because a later release may add some, but the service must not send undescribed members.
 */
function withClosedObjects(value: JsonObject): JsonObject {
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  return isObjectSchema(value) ? { ...copy, additionalProperties: false } : copy;
}

function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  return isObject(value) ? withClosedObjects(value) : value;
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return (type === "object" || (Array.isArray(type) && type.includes("object"))) && properties !== undefined;
}

const escaped = (step: string) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Compiles the schema at a place. @throws Error when the place has no schema */
export function schemaAt(place: Place): ValidateFunction {
  const validate = ajv.getSchema(`${documentId}#/${resolve(place).map(escaped).join("/")}`);
  if (validate === undefined) throw new Error(`the description has no schema at ${place.join(" ")}`);
  return validate;
}

/** Returns the object at a place. @throws Error when the place has no object */
export function objectAt(place: Place): JsonObject {
  return memberAt(resolve(place));
}

// Follows every $ref on the path, including the last one.
function resolve(place: Place): Place {
  let resolved: string[] = [];
  for (const step of place) {
    resolved.push(step);
    const { $ref } = memberAt(resolved);
    if (typeof $ref === "string") resolved = $ref.split("/").slice(1);
  }
  return resolved;
}

function memberAt(place: Place): JsonObject {
  let value: Json | undefined = openApiDocument;
  for (const step of place) value = isObject(value) ? value[step] : undefined;
  if (!isObject(value)) throw new Error(`the description has no object at ${place.join(" ")}`);
  return value;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Headers that HTTP defines and the document therefore does not list.
const httpHeaders = ["connection", "content-encoding", "content-length", "content-type", "date", "keep-alive"];

/** The parts of an HTTP response that the API document describes. */
interface Reply {
  readonly status: number;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Asserts that a response has every required header, no undescribed header, valid header values and a valid body. */
export function expectDescribed({ headers, body }: Reply, response: Place): void {
  const names = Object.keys(objectAt([...response, "headers"]));
  const described = new Map(names.map((name) => [name.toLowerCase(), [...response, "headers", name]]));
  const undescribed = Object.keys(headers).filter((name) => !described.has(name) && !httpHeaders.includes(name));
  expect(undescribed, "undescribed headers").toEqual([]);
  for (const [name, place] of described) {
    const value = headers[name];
    if (value === undefined) expect(objectAt(place).required, `${name} is missing`).not.toBe(true);
    else expectValid([...place, "schema"], isInteger(place) ? Number(value) : value);
  }
  if (!("content" in objectAt(response))) {
    expect(body).toBe("");
    return;
  }
  const mediaType = headers["content-type"]?.split(";")[0] ?? "";
  expectValid([...response, "content", mediaType, "schema"], JSON.parse(body));
}

const isInteger = (header: Place) => objectAt([...header, "schema"]).type === "integer";

/** Asserts that a value conforms to the schema at a place. */
export function expectValid(schema: Place, value: unknown): void {
  const validate = schemaAt(schema);
  validate(value);
  expect(validate.errors ?? [], JSON.stringify(value)).toEqual([]);
}
