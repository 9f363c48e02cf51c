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
    return JSON.parse(text, exactIntegers);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function exactIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? "";
  const isInexact = typeof value === "number" && !Number.isSafeInteger(value) && /^\d+$/.test(source);
  return isInexact ? source : value;
}
