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

// A reviver would see the digits of each number, but takes seconds, and a gigabyte, for a body of many small values.
const longInteger = /(?<![\d.eE+-])[1-9]\d{15,}(?![\d.eE])/g;
const depthMax = 64;

/**
 * Turns integers that numbers cannot represent into strings.
 *
 * @throws RangeError for JSON that is nested deeper than any message: parsing it takes a second
 */
function quoteLongIntegers(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  for (let start = 0; start < json.length; ) {
    const quote = json.indexOf('"', start);
    const end = quote === -1 ? json.length : quote;
    const outside = json.slice(start, end);
    depth += depthChange(outside, depth);
    start = endOfString(json, end);
    parts.push(
      outside.length < 16 ? outside : outside.replaceAll(longInteger, quoteUnlessSafe),
      json.slice(end, start),
    );
  }
  return parts.join("");
}

function depthChange(outside: string, depthBefore: number): number {
  let change = 0;
  for (let at = 0; at < outside.length; at++) {
    const character = outside[at];
    if (character === "]" || character === "}") change--;
    else if (character === "[" || character === "{")
      if (depthBefore + ++change > depthMax) throw new RangeError("the JSON is nested too deeply");
  }
  return change;
}

function quoteUnlessSafe(digits: string): string {
  return Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`;
}

/** Returns the position after the string that begins at `quote`. */
function endOfString(json: string, quote: number): number {
  let at = quote + 1;
  for (; at < json.length && json[at] !== '"'; at++) if (json[at] === "\\") at++;
  return at + 1;
}
