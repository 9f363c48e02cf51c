import { UnreadableBody } from "../platform-adapter.ts";

/**
 * Parses JSON and keeps non-negative integers exact: an integer above Number.MAX_SAFE_INTEGER, such as a long id,
 * becomes a string of its digits.
 *
 * @throws UnreadableBody if the text is not JSON
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, exactIntegers);
  } catch (cause) {
    throw new UnreadableBody("The body is not JSON.", { cause });
  }
}

function exactIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? "";
  const isInexact = typeof value === "number" && !Number.isSafeInteger(value) && /^\d+$/.test(source);
  return isInexact ? source : value;
}
