import type { ErrorCode } from "#shared/errors/error-codes.ts";

/** The content type of JSON responses. */
export const jsonType = "application/json; charset=utf-8";

/** Returns the UTF-8 body of an error response: an object with exactly `error` and `message` (INTERFACE.md §7). */
export function errorDocument(code: ErrorCode, message: string): Buffer {
  return Buffer.from(JSON.stringify({ error: code, message }));
}
