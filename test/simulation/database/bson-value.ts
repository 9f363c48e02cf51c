import { Binary, ObjectId } from "mongodb";
import { isPlainObject } from "../../harness/database-commands/shape.ts";

/**
 * A document as the simulated server holds it, decoded with {@link decoding}. Values are never changed in place.
 *
 * A number is what the driver encodes it as: a 32-bit integer if it is one, otherwise a double. A bigint is a 64-bit
 * integer. `undefined` stands for a missing field.
 */
export type Doc = Readonly<Record<string, unknown>>;

/** How commands are decoded. */
export const decoding = { useBigInt64: true, promoteBuffers: false } as const;

/** Returns the name of a value's BSON type, as `$type` does. */
export function typeOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return isInt(value) ? "int" : "double";
  if (typeof value === "bigint") return "long";
  if (typeof value === "string") return "string";
  if (Array.isArray(value)) return "array";
  if (value instanceof Date) return "date";
  if (value instanceof Binary) return "binData";
  if (value instanceof ObjectId) return "objectId";
  if (isPlainObject(value)) return "object";
  throw new Error(`the simulated server does not know the BSON type of ${String(value)}`);
}

// https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/
const numbers = ["int", "double", "long"];
const others = ["string", "object", "array", "binData", "objectId", "bool", "date"];
const order = [["missing"], ["null"], numbers, ...others.map((name) => [name])];
const ranks = new Map(order.flatMap((names, rank) => names.map((name) => [name, rank])));

const [textRank, numberRank] = [ranks.get("string") ?? 0, ranks.get("int") ?? 0];

/** Returns the position of a value's type in MongoDB's comparison order; all numbers have the same. */
export function rankOf(value: unknown): number {
  if (typeof value === "string") return textRank;
  if (typeof value === "number") return numberRank;
  return ranks.get(typeOf(value)) ?? 0;
}

/** Compares two values in MongoDB's order. @returns a negative number, zero or a positive number */
export function compare(one: unknown, other: unknown): number {
  if (typeof one === "string" && typeof other === "string") return compareTexts(one, other);
  if (typeof one === "number" && typeof other === "number") return compareScalars(one, other);
  if (one instanceof Date && other instanceof Date) return one.getTime() - other.getTime();
  const difference = rankOf(one) - rankOf(other);
  if (difference !== 0) return difference;
  if (one instanceof Binary && other instanceof Binary)
    return one.length() - other.length() || one.sub_type - other.sub_type || Buffer.compare(one.value(), other.value());
  if (one instanceof ObjectId && other instanceof ObjectId) return compareTexts(one.toHexString(), other.toHexString());
  if (Array.isArray(one) && Array.isArray(other)) return compareLists(one, other);
  if (isPlainObject(one) && isPlainObject(other)) return compareLists(fieldsOf(one), fieldsOf(other));
  return compareScalars(one, other);
}

function compareScalars(one: unknown, other: unknown): number {
  const [first, second] = [scalarOf(one), scalarOf(other)];
  if (first < second) return -1;
  return first > second ? 1 : 0;
}

function scalarOf(value: unknown): number | bigint {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" || typeof value === "bigint" ? value : 0;
}

// MongoDB compares the bytes of UTF-8. JavaScript compares UTF-16 code units, whose order differs from that of UTF-8
// only for surrogates.
function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  if (surrogate.test(one) || surrogate.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
}

const surrogate = /[\ud800-\udfff]/;

function compareLists(one: readonly unknown[], other: readonly unknown[]): number {
  for (const [index, value] of one.entries()) {
    if (index >= other.length) return 1;
    const difference = compare(value, other[index]);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

// Of two documents, MongoDB compares the type of each field first, then its name, then its value.
function fieldsOf(document: Doc): unknown[] {
  return Object.entries(document).flatMap(([name, value]) => [rankOf(value), name, value]);
}

/** Returns a text that two values share exactly if MongoDB holds them equal; a missing value counts as null. */
export function keyOf(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (value instanceof Binary) return `binary ${value.sub_type} ${value.toString("hex")}`;
  if (value instanceof ObjectId) return `id ${value.toHexString()}`;
  if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`;
  if (isPlainObject(value)) return `{${Object.entries(value).map(([name, field]) => `${name}:${keyOf(field)}`)}}`;
  return String(value);
}

/** Returns whether two values are the same, including the types of numbers and the order of fields. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeOf(one) !== typeOf(other)) return false;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, index) => isSame(value, other[index]));
  if (!isPlainObject(one) || !isPlainObject(other)) return compare(one, other) === 0;
  const names = Object.keys(one);
  const otherNames = Object.keys(other);
  return (
    names.length === otherNames.length &&
    names.every((name, index) => name === otherNames[index] && isSame(one[name], other[name]))
  );
}

/** Returns whether MongoDB takes a value for true. */
export function isTrue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== 0n;
}

/** Adds two numbers. The sum of integers is an integer, of 64 bits if one of them has these or if it needs them. */
export function addNumbers(one: number | bigint, other: number | bigint): number | bigint {
  const hasDouble = [one, other].some((value) => typeof value === "number" && !isInt(value));
  if (hasDouble) return Number(one) + Number(other);
  const sum = BigInt(one) + BigInt(other);
  return typeof one === "number" && typeof other === "number" && isInt(Number(sum)) ? Number(sum) : sum;
}

function isInt(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}
