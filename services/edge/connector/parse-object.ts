import { badRequest } from "#shared/errors/service-error.ts";

/** The fields of a JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Parses the body of a message. Keeps non-negative integers exact: an integer above Number.MAX_SAFE_INTEGER, such as a
 * long id, becomes a string of its digits.
 *
 * A platform may sign other texts with the secret of its messages: Shopify signs session tokens with it, so that the
 * first two parts of a token are a correctly signed body. Only a JSON object is a message.
 *
 * @throws ServiceError `bad_request` if the body is not a JSON object
 */
export function parseObject(body: string): JsonObject {
  const parsed = parse(body);
  if (isObject(parsed)) return parsed;
  throw badRequest("body", "is not a JSON object");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(quoteLongIntegers(text));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const depthMax = 64;
// An order with 500 lines, and a product with 2,000 variants, have about 100,000 values. 5 MiB of empty values would
// take 800 MiB of memory.
const valuesMax = 300_000;
const longDigits = 16;
const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Turns integers that numbers cannot represent into strings. A reviver would see the digits of each number, too, but
 * takes seconds, and a gigabyte, for a body of many small values.
 *
 * @throws RangeError for JSON that is nested deeper, or has more values, than any message
 */
function quoteLongIntegers(json: string): string {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (isDigit(code)) {
      const end = endOfDigits(json, at);
      if (isLongInteger(json, at, end)) {
        parts.push(json.slice(start, at), '"', json.slice(at, end), '"');
        start = end;
      }
      at = end;
    } else {
      const nesting = nestingOf(code);
      depth += nesting;
      if (nesting > 0 || code === comma) values++;
      if (depth > depthMax || values > valuesMax) throw new RangeError("the JSON is too large");
      at++;
    }
  }
  return parts.length === 0 ? json : parts.join("") + json.slice(start);
}

function nestingOf(code: number): -1 | 0 | 1 {
  if (code === openList || code === openObject) return 1;
  return code === closeList || code === closeObject ? -1 : 0;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfDigits(json: string, start: number): number {
  let at = start + 1;
  while (isDigit(json.charCodeAt(at))) at++;
  return at;
}

/** Returns whether digits are all of a non-negative integer that a number cannot represent. */
function isLongInteger(json: string, start: number, end: number): boolean {
  if (end - start < longDigits || json[start] === "0") return false;
  if (/[.eE+-]/.test(json[start - 1] ?? "") || /[.eE]/.test(json[end] ?? "")) return false;
  return !Number.isSafeInteger(Number(json.slice(start, end)));
}

/** Returns the position after the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  for (; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at++;
  }
  return at;
}
